// The app: files, a question, point values at once and intervals when they are ready.

import { $, make } from "./dom.js";
import * as api from "./api.js";
import * as controls from "./controls.js";
import * as files from "./files.js";
import * as screen from "./screen.js";
import * as state from "./state.js";

// Intervals are asked for when nothing has moved for so long.
const REST = 350;

let answer = null, running = false, again = null, stop = () => {}, resting = 0;

function follow() {
  stop();
  stop = () => {};
  if (!answer.job) return;
  const own = answer;
  stop = api.follow(own.job, {
    progress: screen.progress,
    done: () => look(false), // the intervals are there now, and come with the screen of the state as it is by then
    failed: (error) => {
      if (answer !== own) return;
      screen.pointsOnly();
      screen.showProblem(error, { stale: false });
    },
  });
}

// One request at a time; what changes meanwhile is asked next, and what changed in between is left out.
async function look(intervals) {
  if (running) { again = again || intervals; if (again === null) again = intervals; return; }
  running = true;
  const asked = state.now();
  try {
    const found = await api.send("/answers", { state: asked, tab: api.tab, intervals, seen: screen.seen() });
    answer = found;
    state.toAddress(found.text);
    screen.show(answer);
    controls.showCurve(found.points.curve ?? null);
    // What is shown is the answer to what is asked, unless that changed meanwhile.
    if (asked === state.now()) document.body.dataset.ready = found.intervals ? "intervals" : "points";
    follow();
  } catch (error) {
    screen.showProblem(error.problem ? error : { problem: String(error), ways_out: [] });
  }
  running = false;
  if (again !== null) { const next = again; again = null; look(next); }
}

state.onChange(async ({ moving, files: others }) => {
  clearTimeout(resting);
  delete document.body.dataset.ready;
  if (!others) controls.settle();
  if (others) { controls.showQuestions(); await controls.showControls(); }
  if (!controls.answerable()) { stop(); return; }
  if (others && !files.broken() && !$("files").contains(document.activeElement)) $("files").open = false;
  look(false);
  resting = setTimeout(() => look(true), moving ? REST : 30);
});

files.onFiles(async () => {
  controls.showQuestions();
  if (controls.askLikely()) return;
  if (controls.answerable()) state.change(controls.newGroups(), { files: true });
  else await controls.showControls();
});

async function begin() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
  $("uploading").textContent = "Reading files …";
  const session = await api.get("/session");
  $("uploading").textContent = "";
  state.begin(session.state);
  state.fromAddress();
  controls.begin(session);
  await files.begin(session.files);
  controls.showQuestions();
  if (controls.answerable()) state.change({}, { files: true });
  else if (!state.now().sources.length) controls.askLikely();
  else if (state.now().sources.length) $("uploading").textContent = "This address is about files that are not here: drop them again, and it goes on.";
  document.body.dataset.begun = "yes";
}

addEventListener("hashchange", () => { if (state.fromAddress() && controls.answerable()) state.change({}, { files: true }); });

begin().catch((error) => { $("problem").replaceChildren(make("p", { class: "problem" }, error.problem ?? String(error))); $("work").hidden = false; });
