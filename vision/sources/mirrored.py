"""Any other source whose pictures are mirrored, as some programs for webcams and telephones show them: turned back."""

from collections.abc import Iterator
from dataclasses import replace

from vision.errors import SourceError
from vision.finding.mirror_image import mirror_image
from vision.frame import Frame, FrameSource, SourceSettings

_PREFIX = "mirrored:"


def claims(spec: str) -> bool:
    """The word before another source's name."""
    return spec.startswith(_PREFIX)


def open_source(spec: str, settings: SourceSettings) -> "Unmirrored":
    """Open the source that is named after the word. Raises what that raises."""
    from vision import sources

    name = spec.removeprefix(_PREFIX)
    if claims(name):
        raise SourceError(f"{spec}: mirrored twice")
    return Unmirrored(sources.open_source(name, settings))


class Unmirrored:
    """The frames of another source, turned back."""

    def __init__(self, source: FrameSource) -> None:
        self._source = source
        self.live, self.frames = source.live, source.frames

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            yield replace(frame, image=mirror_image(frame.image))

    def close(self) -> None:
        """Let go of the source."""
        self._source.close()
