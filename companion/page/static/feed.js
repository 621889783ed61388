// The stream of the game: server-sent events that come again by themselves after a broken connection.

/** Follow the game. Handlers: game(state), happened(event), past(event), link(connected). */
export function follow(handlers) {
  let source;
  const open = () => {
    source = new EventSource("/api/feed");
    source.onopen = () => handlers.link?.(true);
    source.onerror = () => {
      handlers.link?.(false);
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 1500);
    };
    for (const kind of ["game", "happened", "past"]) {
      source.addEventListener(kind, (message) => handlers[kind]?.(JSON.parse(message.data)));
    }
  };
  open();
}

/** Ask the server for JSON; an error is thrown with the server's own sentence. */
export async function ask(address) {
  return read(await fetch(address, { headers: { Accept: "application/json" } }));
}

/** Send a request that changes something. */
export async function send(address, body) {
  return read(await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Storisende": "1" },
    body: JSON.stringify(body),
  }));
}

async function read(answer) {
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
