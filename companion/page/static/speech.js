// Moves and alarms said aloud by the browser; off until somebody switches it on.

const ALWAYS = ["illegal", "reminder", "ambiguous", "lost", "end"];

export class Speech {
  constructor() {
    this.on = localStorage.getItem("speak") === "1";
  }

  /** Switch it on or off. */
  set(on) {
    this.on = on;
    localStorage.setItem("speak", on ? "1" : "0");
    if (!on) window.speechSynthesis?.cancel();
    else this.say("I will say the moves.");
  }

  /** Say an event; alarms go before what is still waiting to be said. */
  event(event) {
    if (!this.on || !event.text) return;
    if (ALWAYS.includes(event.kind)) window.speechSynthesis?.cancel();
    this.say(event.text);
  }

  say(text) {
    if (!window.speechSynthesis) return;
    const words = new SpeechSynthesisUtterance(text);
    words.lang = "en";
    window.speechSynthesis.speak(words);
  }
}
