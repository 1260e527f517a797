// Acknowledges and mutes alerts. Only pages of a monitor with a token have the dialog.
(() => {
  const dialog = document.getElementById("handling");
  if (!dialog) return;
  const form = dialog.querySelector("form");
  const [title, subject, problem] = ["title", "subject", "problem"].map(
    (name) => document.getElementById("handling-" + name));
  /** The path of the monitor's first page. */
  const base = dialog.dataset.base ?? "";
  let asked = null;

  async function send(method, path, body) {
    const answer = await fetch(base + path, { method, body: body && JSON.stringify(body) });
    if (answer.ok) return document.dispatchEvent(new Event("handled"));
    if (answer.status === 401) return location.reload();
    throw new Error((await answer.json()).error.message);
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-act]");
    if (!button) return;
    asked = button.dataset;
    problem.textContent = "";
    if (asked.act === "unmute") {
      try {
        await send("DELETE", "api/mutes/" + asked.mute);
      } catch (error) {
        alert(error.message);
      }
      return;
    }
    const isMute = asked.act === "mute";
    title.textContent = isMute ? "Mute" : "Acknowledge";
    subject.textContent = asked.subject;
    form.elements.by.value = localStorage.getItem("name") ?? "";
    form.elements.scope.parentElement.hidden = !isMute || !asked.check;
    dialog.showModal();
  });

  form.addEventListener("submit", async (event) => {
    if (event.submitter?.value === "cancel") return;
    event.preventDefault();
    const said = { by: form.elements.by.value, for: form.elements.for.value };
    localStorage.setItem("name", said.by);
    try {
      if (asked.act === "mute") {
        if (asked.channel) said.channel = asked.channel;
        else said.monitor = true;
        if (asked.check && form.elements.scope.value === "check") said.check = asked.check;
        await send("POST", "api/mutes", said);
      } else {
        await send("POST", "api/acknowledgments", { ...said, alert: asked.alert });
      }
      dialog.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  });
})();
