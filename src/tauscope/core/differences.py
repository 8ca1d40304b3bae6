"""Differences of systems over topics in plain NumPy: sign flips, scores exchanged within topics, tests by content."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Ints, product

#: How many differences are held at once; small enough to stay in the cache of a core.
BLOCK = 1 << 15
#: Gaussian kernels and their derivatives up to the sixth are nothing beyond this many widths.
REACH = 6.5
#: The mean of the draws is never further from its centre than this many standard errors.
FARTHEST = 7.5
#: exp(-x²/2) is below 1e-6 there: where characteristic functions are cut off.
CUT = 5.5
#: A mean this many standard errors away from 0 keeps its sign.
CERTAIN = 12.0
#: Nodes of an inversion at most. More would be asked for by a density that is a few points and no width.
MOST_NODES = 1024
#: Terms of Student's distribution function are summed up to this many degrees of freedom.
MOST_TERMS = 300
#: The quartiles of a standard normal distribution are this far apart.
NORMAL_QUARTILES = 1.349


def student_tail(t: Floats, freedom: int) -> Floats:
    """P(T > t) for t >= 0 and Student's t with `freedom` degrees.

    A finite sum in the cosine of atan(t/√freedom) (Abramowitz and Stegun 26.7.3 and 26.7.4), right to 1e-14 of 1, which
    spares SciPy's start; where the sum is long, the normal deviate of the same tail by Hill's expansion (1970,
    algorithm 395), right to 1e-15 of 1 there and five times as fast as SciPy.
    """
    if freedom > MOST_TERMS:
        from scipy.special import ndtr

        a = freedom - 0.5
        b = 48 * a * a
        y = a * np.log1p(np.square(np.minimum(t, 1e150)) / freedom)
        inner = (((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b)
        return np.asarray(ndtr(-((inner + y + 3.0) / b + 1.0) * np.sqrt(y)))
    angle = np.arctan2(t, math.sqrt(freedom))
    sine, cosine = np.sin(angle), np.cos(angle)
    square = cosine * cosine
    odd = freedom % 2
    terms = np.ones_like(angle)
    for k in range((freedom - 2 - odd) // 2, 0, -1):  # Horner's rule
        terms = 1 + terms * square * ((2 * k - 1 + odd) / (2 * k + odd))
    inside = sine * terms
    if odd:
        inside = (angle + (sine * cosine * terms if freedom > 1 else 0.0)) * (2 / math.pi)
    return np.asarray(np.maximum(0.5 - inside / 2, 0.0))


def paired_p_values(values: Floats) -> Floats:
    """Compute two-sided p-values of a paired t-test for every pair of systems.

    Parameters
    ----------
    values : array of topics x systems
        Complete scores.

    Returns
    -------
    array of systems x systems
        Symmetric, 1 on the diagonal. Identical systems have p = 1; a difference that is the same on every topic has p
        = 0. NaN below two topics.
    """
    n, m = values.shape
    result = np.full((m, m), np.nan)
    np.fill_diagonal(result, 1.0)
    if n < 2:
        return result
    largest = float(np.abs(values).max(initial=0.0))
    # Times a power of two, so that squares neither overflow nor vanish.
    x = np.ldexp(np.ascontiguousarray(values.T), -int(np.clip(np.frexp(largest)[1], -1022, 1022)))
    tolerance = 1e-12
    step = max(1, BLOCK // n)
    for i in range(m - 1):
        for start in range(i + 1, m, step):
            j = slice(start, start + step)
            difference = x[i] - x[j]
            mean, spread = np.abs(difference.mean(axis=1)), difference.std(axis=1, ddof=1)
            t = np.divide(mean * math.sqrt(n), spread, out=np.full(len(mean), np.inf), where=spread > tolerance)
            t[mean <= tolerance] = 0.0
            result[i, j] = result[j, i] = 2 * student_tail(t, n - 1)
    return result


def quantile_deviation(ordered: Floats) -> Floats:
    r"""Fit the sigma that brings the quantiles of a normal distribution closest to the differences (urbano2016 eq. 9).

    .. math:: \hat\sigma = \frac{\sum_i X_i z_i}{\sum_i z_i^2},\qquad z_i = \Phi^{-1}\!\left(\frac{R_i}{n+1}\right)

    where R_i is the mid-rank of the difference X_i among the n of its pair. This is the paper's form with e_i = z_i/√2.

    Parameters
    ----------
    ordered : array of pairs x topics
        Differences of two systems, each row in ascending order.

    Returns
    -------
    array of float
        One sigma per pair; 0 where all differences are equal.
    """
    from scipy.special import ndtri

    n = ordered.shape[1]
    quantiles = ndtri(np.arange(2, 2 * n + 1) / (2 * (n + 1)))  # of the ranks 1, 1.5, 2, …, n
    untied = quantiles[::2]
    sigma = np.asarray(product(ordered, untied) / product(untied, untied))
    tied = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if tied.size:
        rows = ordered[tied]
        z = quantiles[_twice_midranks(rows)]
        squares = (z * z).sum(axis=1)
        sigma[tied] = np.divide((rows * z).sum(axis=1), squares, out=np.zeros(len(rows)), where=squares > 0)
    return np.asarray(np.maximum(sigma, 0.0))


def _twice_midranks(ordered: Floats) -> NDArray[np.intp]:
    """Twice the mid-ranks, counted from 0, of rows in ascending order."""
    places = np.arange(ordered.shape[1])
    first = np.ones(ordered.shape, bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    last = np.ones(ordered.shape, bool)
    last[:, :-1] = first[:, 1:]
    begin = np.maximum.accumulate(np.where(first, places, 0), axis=1)
    end = np.minimum.accumulate(np.where(last, places, places[-1])[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(begin + end)


def kernel_density(ordered: Floats, tolerance: float) -> Floats:
    """The probability that the mean of n draws from the kernel density of the differences is below 0 (urbano2016
    3.1.4).

    No draw is made: with phi the empirical characteristic function and h the bandwidth, phi(u/n)^n exp(-h²u²/2n) is
    that of the mean, and P(mean < 0) is its inversion at half-integer nodes (Gil-Pelaez, Davies). NaN where quartiles
    coincide (closer than `tolerance`), so that there is no bandwidth.
    """
    n = ordered.shape[1]
    mean = ordered.mean(axis=1)
    deviation = np.sqrt(((ordered - mean[:, None]) ** 2).sum(axis=1) / max(1, n - 1))
    scale = np.minimum(deviation, (_quantile(ordered, 0.75) - _quantile(ordered, 0.25)) / NORMAL_QUARTILES)
    result = np.full(len(ordered), np.nan)
    usable = np.flatnonzero(scale > tolerance)
    if not usable.size:
        return result
    scale = scale[usable]
    scaled = ordered[usable] / scale[:, None]
    centre = mean[usable] / scale
    width = _bandwidth(scaled)
    # Of the mean of n draws, in units of the scale.
    error = np.sqrt(((deviation[usable] / scale) ** 2 * (n - 1) / n + width**2) / n)
    near = np.abs(centre) <= CERTAIN * error
    chance = (centre < 0).astype(float)
    if near.any():
        chance[near] = _below_zero(scaled[near], np.abs(centre[near]), error[near], width[near])
    result[usable] = chance
    return result


def _quantile(ordered: Floats, share: float) -> Floats:
    """Quantiles of rows in ascending order, by linear interpolation."""
    at = (ordered.shape[1] - 1) * share
    low = math.floor(at)
    high = min(low + 1, ordered.shape[1] - 1)
    return np.asarray(ordered[:, low] + (at - low) * (ordered[:, high] - ordered[:, low]))


def _bandwidth(scaled: Floats) -> Floats:
    """The two-stage plug-in bandwidth (Sheather and Jones 1991, as in Wand and Jones 1995, 3.6).

    psi_r = 1/pi * integral of t^r exp(-g²t²/2) |phi(t)|² dt, with sign (-1)^(r/2), as a trapezoid sum. That sum is the
    exact double sum over kernels wrapped round a circle, long enough here that nothing reaches round. Gaps that no
    kernel reaches across are shortened first: far outliers would ask for a long circle and change nothing.
    """
    n = scaled.shape[1]
    pilot = (2 * math.sqrt(2.0) ** 9 / (7 * n)) ** (1 / 9)
    gaps = np.minimum(np.diff(scaled, axis=1), REACH * pilot)
    drawn_in = np.concatenate((np.zeros((len(scaled), 1)), np.cumsum(gaps, axis=1)), axis=1)
    span = drawn_in[:, -1]
    step = 2 * math.pi / (span + REACH * pilot)
    angle = (drawn_in - span[:, None] / 2) * step[:, None]
    # The diagonal of the double sum keeps |psi_6| above what makes the second stage 0.8774 x as wide as the first, and
    # its largest value below what makes it narrower than that by n^(1/7).
    narrowest = pilot * (2 / 5) ** (1 / 7) * n ** (-1 / 7)
    power = _power(angle, np.ceil(CUT / (narrowest * step)).astype(int))
    t = step[:, None] * np.arange(1, power.shape[1] + 1)
    psi_6 = _functional(power, t, step, 6, pilot)
    second = (3 * math.sqrt(2 / math.pi) / (psi_6 * n)) ** (1 / 7)
    psi_4 = _functional(power, t, step, 4, second[:, None])
    return np.asarray((4 * math.pi) ** -0.1 * (psi_4 * n) ** -0.2)


def _functional(power: Floats, t: Floats, step: Floats, order: int, width: float | Floats) -> Floats:
    """|psi_r|: trapezoid sum of t^r exp(-g²t²/2) |phi|² over both halves of the line, divided by 2 pi."""
    return np.asarray((t**order * np.exp(-((width * t) ** 2) / 2) * power).sum(axis=1) * step / math.pi)


def _power(angle: Floats, nodes: NDArray[np.intp]) -> Floats:
    """|phi|² at the nodes 1, 2, …; 0 in a row that needs no more of them."""
    order = np.argsort(-nodes, kind="stable")
    cosine, sine = np.cos(angle[order]), np.sin(angle[order])
    result = np.zeros((len(angle), int(nodes.max())))
    waves = _waves((cosine, sine), (np.ones_like(cosine), np.zeros_like(sine)), 2 * cosine, nodes[order])
    for node, (real, imaginary) in enumerate(waves):
        result[: len(real), node] = real * real + imaginary * imaginary
    back = np.empty_like(result)
    back[order] = result
    return back


def _below_zero(scaled: Floats, distance: Floats, error: Floats, width: Floats) -> Floats:
    """P(mean < 0) = 1/2 - sum over k of Im[phi(u/n)^n] exp(-h²u²/2n) / (pi (k + 1/2)), u = (k + 1/2) step."""
    n = scaled.shape[1]
    step = 2 * math.pi / (distance + FARTHEST * error)
    nodes = np.minimum(MOST_NODES, np.ceil(CUT * math.sqrt(n) / (width * step))).astype(int)
    order = np.argsort(-nodes, kind="stable")
    half = scaled[order] * (step[order] / (2 * n))[:, None]
    cosine, sine = np.cos(half), np.sin(half)
    damping = (width[order] * step[order]) ** 2 / (2 * n)
    total = np.zeros(len(scaled))
    waves = _waves((cosine, sine), (cosine, -sine), 2 * (1 - 2 * sine * sine), nodes[order])
    for k, (real, imaginary) in enumerate(waves):
        rows = len(real)
        powered = _raised(real + 1j * imaginary, n)
        total[:rows] += powered.imag * np.exp(-damping[:rows] * (k + 0.5) ** 2) / (k + 0.5)
    result = np.empty(len(scaled))
    result[order] = np.clip(0.5 - total / math.pi, 0.0, 1.0)
    return result


Wave = tuple[Floats, Floats]


def _waves(now: Wave, before: Wave, twice: Floats, nodes: NDArray[np.intp]) -> Iterator[Wave]:
    """Means over a row of cosine and sine at one node after the other, by Chebyshev's recurrence.

    `twice` is 2 cos of the angle between nodes; rows are sorted by `nodes`, the most first, and leave when they are
    done.
    """
    n = twice.shape[1]
    (cosine, sine), (cosine_before, sine_before) = now, before
    for node in range(int(nodes[0])):
        rows = int(np.searchsorted(-nodes, -node, side="left"))
        if rows < len(cosine):
            cosine, sine, twice = cosine[:rows], sine[:rows], twice[:rows]
            cosine_before, sine_before = cosine_before[:rows], sine_before[:rows]
        yield cosine.sum(axis=1) / n, sine.sum(axis=1) / n
        cosine, cosine_before = twice * cosine - cosine_before, cosine
        sine, sine_before = twice * sine - sine_before, sine


def _raised(phi: NDArray[np.complex128], n: int) -> NDArray[np.complex128]:
    """phi^n by squaring."""
    result, base = np.ones_like(phi), phi
    while n:
        if n & 1:
            result = result * base
        base, n = base * base, n >> 1
    return result


def discordance(estimates: Floats, truths: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """Count what rankings lose against others, row by row.

    Parameters
    ----------
    estimates : array of rankings x systems
        Scores, higher is better; one row serves all `truths`.
    truths : array of rankings x systems
        Scores of the rankings that they are compared with.
    tolerance : float
        Scores closer than this are tied; a tied pair is not discordant.

    Returns
    -------
    (array, array)
        The number of discordant pairs, which is Kendall's distance; and the sum over items of the share of those above
        them that are wrongly there, which is the loss of tau_ap.
    """
    m = truths.shape[1]
    distance, head = np.zeros(len(truths)), np.zeros(len(truths))
    step = max(1, 4 * BLOCK // max(1, m * m))
    for start in range(0, len(truths), step):
        rows = slice(start, start + step)
        y, x = estimates if len(estimates) == 1 else estimates[rows], truths[rows]
        higher = y[:, None, :] > y[:, :, None] + tolerance
        above = np.count_nonzero(higher, axis=2)
        wrong = np.count_nonzero(higher & (x[:, None, :] < x[:, :, None] - tolerance), axis=2)
        distance[rows] = wrong.sum(axis=1)
        head[rows] = (wrong / np.maximum(above, 1)).sum(axis=1)
    return distance, head


def flips_reached(sums: Floats, first: Ints, second: Ints, scale: Floats, limit: Floats) -> Ints:
    """Count in how many sign flips the largest statistic of a pair, and of those before it, reaches its limit.

    This is the inner loop of step-down max-t: pairs come in ascending order of their statistic, so that each meets the
    largest of itself and of all smaller ones.

    Parameters
    ----------
    sums : array of flips x systems
        Sums of the flipped scores.
    first, second : array of int
        The systems of each pair.
    scale : array of float
        What turns the difference of two sums into the statistic of the pair.
    limit : array of float
        The observed statistic of each pair.

    Returns
    -------
    array of int
        One count per pair.
    """
    reached = np.zeros(len(scale), np.int64)
    step = max(1, BLOCK // max(1, len(scale)))
    for start in range(0, len(sums), step):
        rows = sums[start : start + step]
        largest = np.abs((rows[:, first] - rows[:, second]) * scale)
        np.maximum.accumulate(largest, axis=1, out=largest)
        reached += (largest >= limit).sum(axis=0)
    return reached


def flips_exceeding(sums: Floats, scale: Floats, own: Floats) -> Ints:
    """Count in how many sign flips another system exceeds each one by at least as much as observed.

    Parameters
    ----------
    sums : array of flips x systems
        Sums of the flipped scores.
    scale : array of systems x systems
        What turns the difference of two sums into the statistic of a pair.
    own : array of float
        The observed statistic of each system.

    Returns
    -------
    array of int
        One count per system.
    """
    reached = np.zeros(len(own), np.int64)
    for system in range(len(own)):
        largest = ((sums - sums[:, system : system + 1]) * scale[system]).max(axis=1)
        reached[system] = np.count_nonzero(np.maximum(largest, 0.0) >= own[system])
    return reached


Words = NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
#: Permuted scores held at once.
BLOCK_OF_TOPICS = 1 << 18


def finalise(words: Words) -> Words:
    """SplitMix64's last step: every bit depends on every other."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


def random_places(starts: Words, m: int) -> NDArray[np.int64]:
    """Row by row, m numbers of which the i-th is from 0 to i: the high half of a 32-bit number times i + 1."""
    words = finalise(starts[:, None] + np.arange(1, (m + 1) // 2 + 1, dtype=np.uint64) * GOLDEN)
    halves = np.stack([words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)], axis=2).reshape(len(starts), -1)[:, :m]
    return np.asarray((halves * np.arange(1, m + 1, dtype=np.uint64)) >> np.uint64(32)).astype(np.int64)


def permuted_ranges(scores: Floats, key: int, first: int, draws: int) -> Floats:
    """Exchange the systems at random within each topic, and return the range of their sums for each draw.

    Each topic has its systems in random order, by Fisher and Yates from the inside out. A draw is a function of the
    key and of its number, so that neither threads nor blocks change it.

    Parameters
    ----------
    scores : array of topics x systems
        The scores.
    key : int
        The key of the random numbers.
    first, draws : int
        Number of the first draw, and how many draws are made.

    Returns
    -------
    array of float
        Highest minus lowest sum of a system, one value per draw.
    """
    topics, m = scores.shape
    ranges = np.empty(draws)
    step = max(1, BLOCK_OF_TOPICS // m)
    for start in range(0, draws, step):
        numbers = np.arange(first + start, first + min(draws, start + step)).astype(np.uint64)
        rows = np.arange(len(numbers))
        sums = np.zeros((len(numbers), m))
        for topic in range(topics):
            at = numbers * np.uint64(topics) + np.uint64(topic + 1)
            places = random_places(finalise(np.uint64(key) + at * GOLDEN), m)
            shuffled = np.empty((len(numbers), m))
            for i in range(m):
                shuffled[:, i] = shuffled[rows, places[:, i]]
                shuffled[rows, places[:, i]] = scores[topic, i]
            sums += shuffled
        ranges[start : start + len(numbers)] = sums.max(axis=1) - sums.min(axis=1)
    return ranges
