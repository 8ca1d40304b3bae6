"""What the app may use: bytes of uploads, memory of a worker, computations at once."""

from __future__ import annotations

from dataclasses import dataclass

#: A request that is no upload is a few thousand bytes.
MOST_JSON = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one app may use; the page states it, and the app keeps to it.

    Parameters
    ----------
    upload_bytes : int
        All files that were dropped, together; also what one packed file may unpack to.
    worker_bytes : int
        The memory of one worker process, where the system can hold it to that (Linux).
    computations : int
        How many are worked on at once; others wait.
    """

    upload_bytes: int = 200 << 20
    worker_bytes: int = 2 << 30
    computations: int = 2

    def to_dict(self) -> dict[str, int]:
        """The same for the page."""
        return {
            "upload_bytes": self.upload_bytes,
            "worker_bytes": self.worker_bytes,
            "computations": self.computations,
        }


def megabytes(number: int) -> str:
    """A limit in words: '200 MB'."""
    return f"{number / 2**20:,.0f} MB"
