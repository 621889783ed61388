"""For how long things have been so: seconds of stillness, hands and single erring frames left out."""

from collections.abc import Iterable

_GRACE_S = 0.5  #: what is not so for no longer than this still counts as standing
_LONGEST_S = 1.0  #: between two looks at the table no more than this counts


class Standing:
    """A clock that runs only while the table is still, and what has been so by it. Times must not run backwards."""

    def __init__(self) -> None:
        self._still_at: float | None = None
        self._stood: dict[object, tuple[float, float]] = {}

    @property
    def still(self) -> bool:
        """Whether the table has been looked at since something last moved."""
        return self._still_at is not None

    def __contains__(self, key: object) -> bool:
        return key in self._stood

    def disturb(self) -> None:
        """Something moves over the table: the time until the next look does not count."""
        self._still_at = None

    def look(self, now_s: float) -> float:
        """The table is still at this moment; gives the seconds of stillness since the last look."""
        waited = 0.0 if self._still_at is None else min(_LONGEST_S, max(0.0, now_s - self._still_at))
        self._still_at = now_s
        return waited

    def add(self, keys: Iterable[object], waited_s: float) -> None:
        """Let these stand for some seconds more; forget what has not been so for a while (one frame may err)."""
        now = self._still_at or 0.0
        if waited_s == 0.0:  # a hand was over the table: that time does not count
            self._stood = {key: (seconds, now) for key, (seconds, _) in self._stood.items()}
        for key in keys:
            seconds, _ = self._stood.get(key, (0.0, now))
            self._stood[key] = (seconds + (waited_s if key in self._stood else 0.0), now)
        self._stood = {key: s for key, s in self._stood.items() if now - s[1] <= _GRACE_S}

    def seconds(self, key: object) -> float:
        """For how many seconds of stillness something has been so."""
        return self._stood.get(key, (0.0, 0.0))[0]

    def forget(self) -> None:
        """Nothing stands any more; the clock runs on."""
        self._stood.clear()
