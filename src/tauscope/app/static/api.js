// The JSON API. What went wrong is thrown as { problem, fixes }.

const root = "/api/v1";
const tab = crypto.randomUUID();

async function answered(response) {
  if (response.ok) return response;
  const data = await response.json().catch(() => null);
  throw data?.problem ? data : { problem: `The app did not answer (${response.status}).`, fixes: [] };
}

const gone = (error) => { throw error.name === "AbortError" ? error : { problem: "The app does not answer. Is it still running in the terminal?", fixes: [] }; };
const call = (path, options) => fetch(root + path, options).catch(gone).then(answered);
const post = (data, signal) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data), signal });
const json = (response) => response.json();

export const session = () => call("/session").then(json);
export const sample = () => call("/sample", post({})).then(json);
export const read = (id, options) => call(`/files/${id}/read`, post({ options })).then(json);
export const forget = (id) => call(`/files/${id}`, { method: "DELETE" });
export const upload = (file) => call(`/files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }).then(json);
export const answer = (asked, signal) => call("/answers", post({ asked, tab }, signal)).then(json);
export const topics = (asked, systems) => call("/topics", post({ asked, systems })).then(json);

// A file to take away, handed to the browser as a download.
export async function take(asked, name) {
  const url = URL.createObjectURL(await (await call(`/take/${name}`, post({ asked }))).blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
