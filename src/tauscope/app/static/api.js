// The JSON API, and nothing but it. What went wrong is thrown as { problem, ways_out }.

const root = "/api/v1";
export const tab = crypto.randomUUID();

async function answered(response) {
  const data = await response.json().catch(() => null);
  if (response.ok && data) return data;
  throw data && data.problem ? data : { problem: `The app did not answer (${response.status}).`, ways_out: [] };
}

const gone = () => { throw { problem: "The app does not answer any more: is it still running in the terminal?", ways_out: [] }; };

export const get = (path) => fetch(root + path).catch(gone).then(answered);

export const send = (path, data, signal) =>
  fetch(root + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data), signal })
    .catch((error) => (error.name === "AbortError" ? Promise.reject(error) : gone()))
    .then(answered);

export const forget = (id) => fetch(`${root}/files/${id}`, { method: "DELETE" }).catch(gone).then(answered);

export const upload = (file) =>
  fetch(`${root}/files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }).catch(gone).then(answered);

// Follows a job; returns a function that stops following it.
export function follow(job, { progress, done, failed }) {
  const source = new EventSource(`${root}/jobs/${job}/events`);
  const end = (act) => (event) => { source.close(); act?.(JSON.parse(event.data)); };
  source.addEventListener("progress", (event) => progress?.(JSON.parse(event.data)));
  source.addEventListener("done", end(done));
  source.addEventListener("failed", end(failed));
  source.addEventListener("cancelled", end());
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) failed?.({ problem: "The app does not answer any more.", ways_out: [] });
  };
  return () => source.close();
}

// A file from a POST, handed to the browser as a download.
export async function download(path, data, name) {
  const response = await fetch(root + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) }).catch(gone);
  if (!response.ok) return answered(response);
  const url = URL.createObjectURL(await response.blob());
  save(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function save(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
