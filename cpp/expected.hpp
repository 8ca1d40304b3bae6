// Differences of two systems over topics, and what a ranking loses against many others. Twins: differences.py
#pragma once
#include "levels.hpp"

namespace tauscope {

// Arrays over topics are padded to whole groups of lanes with zeros, which add nothing to any sum: fixed lanes keep sums
// the same whatever the width of the machine's registers.
constexpr std::size_t LANES = 8;
constexpr double PI = 3.14159265358979323846;
// The constants of differences.py.
constexpr double REACH = 6.5, FARTHEST = 7.5, CUT = 5.5, CERTAIN = 12.0, NORMAL_QUARTILES = 1.349;
constexpr std::size_t MOST_NODES = 1024;

// Sine and cosine of angle / 4 for |angle| <= pi, by Taylor's series: no term left out reaches 1e-16.
TAUSCOPE_CLONES
inline void quarter_angles(const double* angle, std::size_t padded, double* sine, double* cosine) noexcept {
    constexpr double S3 = -1.0 / 6, S5 = 1.0 / 120, S7 = -1.0 / 5040, S9 = 1.0 / 362880, S11 = -1.0 / 39916800,
                     S13 = 1.0 / 6227020800, S15 = -1.0 / 1307674368000;
    constexpr double C2 = -0.5, C4 = 1.0 / 24, C6 = -1.0 / 720, C8 = 1.0 / 40320, C10 = -1.0 / 3628800,
                     C12 = 1.0 / 479001600, C14 = -1.0 / 87178291200, C16 = 1.0 / 20922789888000;
    for (std::size_t k = 0; k < padded; ++k) {
        const double x = angle[k] * 0.25, y = x * x;
        sine[k] = x * (1 + y * (S3 + y * (S5 + y * (S7 + y * (S9 + y * (S11 + y * (S13 + y * S15)))))));
        cosine[k] = 1 + y * (C2 + y * (C4 + y * (C6 + y * (C8 + y * (C10 + y * (C12 + y * (C14 + y * C16)))))));
    }
}

inline double lane_sum(const double* v) noexcept {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

// Waves at one node and at the one before it, and 2 cos of the angle between nodes.
struct Waves {
    double *cosine, *cosine_before, *sine, *sine_before, *twice;
};

// Vectors are written out here: compilers were seen to vectorise the loop over lanes the wrong way round, three times
// slower. The same loop for the vectors that every machine of interest has, and for those of most.
#define TAUSCOPE_WAVES sum_waves_narrow
#define TAUSCOPE_WAVES_TARGET
#define TAUSCOPE_WAVES_BYTES 16
#include "waves.hpp"
#if defined(__x86_64__) && defined(__GNUC__)
#define TAUSCOPE_WAVES sum_waves_wide
#define TAUSCOPE_WAVES_TARGET __attribute__((target("avx2")))
#define TAUSCOPE_WAVES_BYTES 32
#include "waves.hpp"
#endif

// Sums over topics of cosine and sine at the next nodes, an even number of them.
inline void sum_waves(const Waves& w, std::size_t padded, std::size_t nodes, double* real, double* imaginary) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    static const bool wide = __builtin_cpu_supports("avx2");
    if (wide) return sum_waves_wide(w, padded, nodes, real, imaginary);
#endif
    sum_waves_narrow(w, padded, nodes, real, imaginary);
}

// result = imaginary part of (real + i imaginary)^n, by squaring; overwrites its arguments.
TAUSCOPE_CLONES
inline void raise(double* real, double* imaginary, std::size_t count, std::size_t n, double* result_real,
                  double* result_imaginary) noexcept {
    for (std::size_t k = 0; k < count; ++k) {
        result_real[k] = 1.0;
        result_imaginary[k] = 0.0;
    }
    for (; n; n >>= 1) {
        if (n & 1)
            for (std::size_t k = 0; k < count; ++k) {
                const double a = result_real[k], b = result_imaginary[k];
                result_real[k] = a * real[k] - b * imaginary[k];
                result_imaginary[k] = a * imaginary[k] + b * real[k];
            }
        for (std::size_t k = 0; k < count; ++k) {
            const double a = real[k], b = imaginary[k];
            real[k] = a * a - b * b;
            imaginary[k] = 2 * a * b;
        }
    }
}

struct DensityScratch {
    std::vector<double> topics, nodes;

    // Over topics: Waves and the angle; over nodes: sums and their powers.
    void resize(std::size_t padded, std::size_t count) {
        if (topics.size() < 6 * padded) topics.resize(6 * padded);
        if (nodes.size() < 4 * count) nodes.resize(4 * count);
    }
};

inline double quantile(const double* ordered, std::size_t n, double share) noexcept {
    const double at = static_cast<double>(n - 1) * share;
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, n - 1);
    return ordered[low] + (at - static_cast<double>(low)) * (ordered[high] - ordered[low]);
}

// Sum over k = 1..count of t^order exp(-width² t² / 2) |phi(t)|², t = k step, times step / pi.
inline double functional(const double* real, const double* imaginary, std::size_t count, double n, double step, int order,
                         double width) noexcept {
    const double decay = std::exp(-width * width * step * step / 2), twice = decay * decay;
    double weight = 1.0, ratio = decay, sum = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
        weight *= ratio;
        ratio *= twice;
        const double t = static_cast<double>(k + 1) * step, square = t * t;
        sum += (order == 6 ? square * square * square : square * square) * weight *
               (real[k] * real[k] + imaginary[k] * imaginary[k]);
    }
    return sum * step / (PI * n * n);
}

// The two-stage plug-in bandwidth of differences in ascending order, in units of the scale.
inline double plug_in_bandwidth(const double* ordered, std::size_t n, std::size_t padded, double scale, DensityScratch& w) {
    const double count = static_cast<double>(n);
    const double pilot = std::pow(2 * 16 * std::sqrt(2.0) / (7 * count), 1.0 / 9);
    const double narrowest = pilot * std::pow(0.4 / count, 1.0 / 7);
    w.resize(padded, 16);
    double* angle = w.topics.data() + 5 * padded;
    double span = 0.0;
    angle[0] = 0.0;
    for (std::size_t k = 1; k < n; ++k) {
        span += std::min((ordered[k] - ordered[k - 1]) / scale, REACH * pilot);
        angle[k] = span;
    }
    const double step = 2 * PI / (span + REACH * pilot);
    const auto even = [step](double last) {
        const double wanted = std::ceil(last / step);
        const auto nodes = static_cast<std::size_t>(wanted < 1e15 ? wanted : 1e15);
        return nodes + nodes % 2;
    };
    const std::size_t most = even(CUT / narrowest), first = even(REACH / pilot);
    w.resize(padded, most);
    double* at = w.topics.data();
    Waves waves{at, at + padded, at + 2 * padded, at + 3 * padded, at + 4 * padded};
    angle = at + 5 * padded;
    for (std::size_t k = 0; k < padded; ++k) angle[k] = k < n ? (angle[k] - span / 2) * step : 0.0;
    quarter_angles(angle, padded, waves.sine, waves.cosine);
    for (std::size_t k = 0; k < padded; ++k) {
        double s = waves.sine[k], c = waves.cosine[k];
        for (int doubling = 0; doubling < 2; ++doubling) {
            const double s2 = 2 * s * c;
            c = 1 - 2 * s * s;
            s = s2;
        }
        const double present = k < n ? 1.0 : 0.0;
        waves.cosine[k] = c * present;
        waves.sine[k] = s * present;
        waves.twice[k] = 2 * c;
        waves.cosine_before[k] = present;
        waves.sine_before[k] = 0.0;
    }
    double *real = w.nodes.data(), *imaginary = real + most;
    sum_waves(waves, padded, first, real, imaginary);
    const double psi_6 = functional(real, imaginary, first, count, step, 6, pilot);
    const double width = std::pow(3 * std::sqrt(2 / PI) / (psi_6 * count), 1.0 / 7);
    // The pilot is always the wider of the two, and the second never narrower than `narrowest`: see the twin.
    const std::size_t second = std::min(most, std::max(first, even(CUT / width)));
    sum_waves(waves, padded, second - first, real + first, imaginary + first);
    const double psi_4 = functional(real, imaginary, second, count, step, 4, width);
    return std::pow(4 * PI, -0.1) * std::pow(psi_4 * count, -0.2);
}

// P(mean of n draws from the kernel density < 0); NaN where quartiles coincide. ordered: n differences, ascending: NaN
// where they are not.
// Twin: differences.kernel_density
inline double density_below_zero(const double* ordered, std::size_t n, double tolerance, DensityScratch& w) {
    const double count = static_cast<double>(n);
    const std::size_t padded = (n + LANES - 1) / LANES * LANES;
    double mean = 0.0, squares = 0.0;
    bool ascending = n > 0;
    for (std::size_t k = 1; k < n; ++k) ascending &= ordered[k - 1] <= ordered[k];
    if (!ascending) return std::numeric_limits<double>::quiet_NaN();
    for (std::size_t k = 0; k < n; ++k) mean += ordered[k];
    mean /= count;
    for (std::size_t k = 0; k < n; ++k) squares += (ordered[k] - mean) * (ordered[k] - mean);
    const double deviation = std::sqrt(squares / std::max(1.0, count - 1));
    const double quartiles = quantile(ordered, n, 0.75) - quantile(ordered, n, 0.25);
    const double scale = std::min(deviation, quartiles / NORMAL_QUARTILES);
    if (!(scale > std::max(tolerance, 0.0)) || !(deviation <= std::numeric_limits<double>::max()))
        return std::numeric_limits<double>::quiet_NaN();
    const double width = plug_in_bandwidth(ordered, n, padded, scale, w);
    const double centre = mean / scale, spread = deviation / scale;
    const double error = std::sqrt((spread * spread * (count - 1) / count + width * width) / count);
    if (std::fabs(centre) > CERTAIN * error) return centre < 0 ? 1.0 : 0.0;

    const double step = 2 * PI / (std::fabs(centre) + FARTHEST * error);
    const double wanted = std::ceil(CUT * std::sqrt(count) / (width * step));
    const std::size_t nodes = wanted <= MOST_NODES ? static_cast<std::size_t>(wanted) : MOST_NODES;
    const std::size_t even = nodes + nodes % 2;
    w.resize(padded, even);
    double* at = w.topics.data();
    Waves waves{at, at + padded, at + 2 * padded, at + 3 * padded, at + 4 * padded};
    double* angle = at + 5 * padded;
    const double unit = step / (count * scale);
    for (std::size_t k = 0; k < padded; ++k) angle[k] = k < n ? ordered[k] * unit : 0.0;
    quarter_angles(angle, padded, waves.sine, waves.cosine);
    for (std::size_t k = 0; k < padded; ++k) {
        const double quarter = waves.sine[k];
        const double s = 2 * quarter * waves.cosine[k], c = 1 - 2 * quarter * quarter;
        const double present = k < n ? 1.0 : 0.0;
        waves.cosine[k] = waves.cosine_before[k] = c * present;
        waves.sine[k] = s;
        waves.sine_before[k] = -s;
        waves.twice[k] = 2 * (1 - 2 * s * s);
    }
    double *real = w.nodes.data(), *imaginary = real + even, *powered = imaginary + even, *result = powered + even;
    sum_waves(waves, padded, even, real, imaginary);
    for (std::size_t k = 0; k < even; ++k) {
        real[k] /= count;
        imaginary[k] /= count;
    }
    raise(real, imaginary, even, n, powered, result);
    const double decay = std::exp(-width * width * step * step / (2 * count));  // of one step, from 0
    double weight = std::sqrt(std::sqrt(decay)), ratio = decay * decay, sum = 0.0;
    for (std::size_t k = 0; k < nodes; ++k) {
        sum += result[k] * weight / (static_cast<double>(k) + 0.5);
        weight *= ratio;  // exp of -(k + 3/2)² + (k + 1/2)² = -(2k + 2) steps
        ratio *= decay * decay;
    }
    return std::min(1.0, std::max(0.0, 0.5 - sum / PI));
}

// For every pivot i: above[i], items that the estimate y puts above it (y_j > top[i]), and wrong[i], those of them that the
// truth x puts below it (x_j < limit[i]). Padding has top = infinity, which nothing is above.
TAUSCOPE_CLONES
inline void count_discordant(const double* y, const double* x, const double* top, const double* limit, std::size_t m,
                             std::int64_t* above, std::int64_t* wrong) noexcept {
    for (std::size_t i = 0; i < m; i += LANES) {
        std::int64_t higher[LANES] = {0}, lower[LANES] = {0};
        for (std::size_t j = 0; j < m; ++j)
            for (std::size_t l = 0; l < LANES; ++l) {
                const std::int64_t up = y[j] > top[i + l];
                higher[l] += up;
                lower[l] += up & (x[j] < limit[i + l]);
            }
        for (std::size_t l = 0; l < LANES; ++l) {
            above[i + l] = higher[l];
            wrong[i + l] = lower[l];
        }
    }
}

// The same where items stand in the order of the estimate, best first: those above i are the first begin[i].
TAUSCOPE_CLONES
inline void count_discordant_sorted(const double* x, const double* limit, const std::int64_t* begin, std::size_t m,
                                    std::int64_t* wrong) noexcept {
    for (std::size_t i = 0; i < m; i += LANES) {
        std::int64_t lower[LANES] = {0};
        const std::int64_t all = begin[i], last = begin[i + LANES - 1];
        for (std::int64_t j = 0; j < all; ++j)
            for (std::size_t l = 0; l < LANES; ++l) lower[l] += x[j] < limit[i + l];
        for (std::int64_t j = all; j < last; ++j)
            for (std::size_t l = 0; l < LANES; ++l) lower[l] += (j < begin[i + l]) & (x[j] < limit[i + l]);
        for (std::size_t l = 0; l < LANES; ++l) wrong[i + l] = lower[l];
    }
}

struct DiscordanceScratch {
    std::vector<double> top, limit;
    std::vector<std::int64_t> above, wrong;
};

// begin[i] for an estimate that does not rise, padded; false where it rises.
inline bool sorted_begins(const double* estimate, std::size_t m, double tolerance, std::vector<std::int64_t>& begin) {
    begin.assign((m + LANES - 1) / LANES * LANES, 0);
    for (std::size_t i = 1; i < m; ++i) {
        if (estimate[i] > estimate[i - 1]) return false;
        // Ties do not chain: what counts is the distance to the item itself.
        std::size_t k = static_cast<std::size_t>(begin[i - 1]);
        while (k < i && estimate[k] > estimate[i] + tolerance) ++k;
        begin[i] = static_cast<std::int64_t>(k);
    }
    for (std::size_t i = m; i < begin.size(); ++i) begin[i] = begin[m - 1];
    return true;
}

// Discordant pairs and shares from counts: see discordance().
inline void add_discordant(const std::int64_t* above, const std::int64_t* wrong, std::size_t m, double* distance,
                           double* head) noexcept {
    std::int64_t total = 0;
    double shares = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
        total += wrong[i];
        if (wrong[i]) shares += static_cast<double>(wrong[i]) / static_cast<double>(above[i]);
    }
    *distance = static_cast<double>(total);
    *head = shares;
}

// Discordant pairs, and the sum over items of the share of those above them that are wrongly there; scores closer than the
// tolerance are tied, and a tied pair is not discordant. Twin: differences.discordance
inline void discordance(const double* estimate, const double* truth, std::size_t m, double tolerance, DiscordanceScratch& w,
                        double* distance, double* head) {
    const std::size_t padded = (m + LANES - 1) / LANES * LANES;
    w.top.assign(padded, std::numeric_limits<double>::infinity());
    w.limit.assign(padded, 0.0);
    w.above.resize(padded);
    w.wrong.resize(padded);
    for (std::size_t i = 0; i < m; ++i) {
        w.top[i] = estimate[i] + tolerance;
        w.limit[i] = truth[i] - tolerance;
    }
    count_discordant(estimate, truth, w.top.data(), w.limit.data(), m, w.above.data(), w.wrong.data());
    add_discordant(w.above.data(), w.wrong.data(), m, distance, head);
}

// The same for an estimate in order, whose begins are known.
inline void discordance_sorted(const double* truth, const std::vector<std::int64_t>& begin, std::size_t m, double tolerance,
                               DiscordanceScratch& w, double* distance, double* head) {
    w.limit.assign(begin.size(), 0.0);
    w.wrong.resize(begin.size());
    for (std::size_t i = 0; i < m; ++i) w.limit[i] = truth[i] - tolerance;
    count_discordant_sorted(truth, w.limit.data(), begin.data(), m, w.wrong.data());
    add_discordant(begin.data(), w.wrong.data(), m, distance, head);
}

}  // namespace tauscope
