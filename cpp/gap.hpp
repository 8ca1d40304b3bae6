// tau_gap, gao2015 (3): every pair above a pivot weighs as much as its gap in the truth. Twin: reference.rankings.tau_gap
#pragma once
#include "ap.hpp"

namespace tauscope {

// The largest power of two that brings every score into [-1, 1]: exact, and no sum of n of them overflows.
inline double unit_scale(const double* scores, std::int32_t n) noexcept {
    double largest = 0.0;
    for (std::int32_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(scores[i]));
    if (largest == 0.0) return 1.0;
    int exponent;
    std::frexp(largest, &exponent);
    // 2^1074 does not exist: subnormal scores are brought up in reach of the largest power that does.
    return std::ldexp(1.0, std::max(-1022, std::min(1022, -exponent)));
}

// 1, or the power of two that keeps sums of n differences finite: small scores are left as they are.
inline double sum_scale(const double* scores, std::int32_t n) noexcept {
    double largest = 0.0;
    for (std::int32_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(scores[i]));
    int exponent, items;
    std::frexp(largest, &exponent);
    std::frexp(static_cast<double>(n), &items);
    return std::ldexp(1.0, std::min(0, 1020 - exponent - items));
}

TAUSCOPE_CLONES
inline void gaps_small(const double* truth, const std::int32_t* group_begin, std::int32_t n, double* right,
                       double* wrong) noexcept {
    for (std::int32_t j = n - 1; j >= 0; --j) {
        const double t = truth[j];
        const std::int32_t pivots = group_begin[j];
        for (std::int32_t p = 0; p < pivots; ++p) {
            const double gap = t - truth[p];
            right[p] += gap > 0.0 ? gap : 0.0;
            wrong[p] += gap < 0.0 ? -gap : 0.0;
        }
    }
}

// The sums of the members below a position, kept like the counts of PositionSet: a leaf has 32 positions, a row 32
// leaves, a page 32 rows; in_leaf[p], in_row[l], in_page[r], in_pages[g] are the sums before it in the next larger unit.
struct ScoreSums {
    Buffer<double> in_leaf, in_row, in_page, in_pages;
    std::int32_t pages = 0;

    void reset(std::int32_t n) {
        pages = (n >> 15) + 1;
        const auto size = static_cast<std::size_t>(pages);
        in_leaf.fill(size << 15, 0.0);
        in_row.fill(size << 10, 0.0);
        in_page.fill(size << 5, 0.0);
        in_pages.fill(size, 0.0);
    }
};

// The sum of the pivots' losses; pivots: how many have a gap above them. higher, lower: how many of the items above the
// pivot the truth puts above and below it. Where the gaps are so small that differences of sums would cancel, they are
// added one by one.
TAUSCOPE_CLONES
inline double gaps_large(const double* truth, const double* unscaled, double centre, const std::int32_t* other, const std::int32_t* begin,
                       const std::int32_t* end, const std::int32_t* above, const std::int32_t* higher,
                         const std::int32_t* lower, std::int32_t n, double* in_leaf, double* in_row, double* in_page,
                         double* in_pages, std::int32_t pages, std::int64_t* pivots) noexcept {
    constexpr std::int32_t AHEAD = 8;
    std::int32_t next = n;
    double total = 0.0, magnitude = 0.0, loss = 0.0;
    for (std::int32_t p = n - 1; p >= 0; --p) {
        if (p >= AHEAD) {  // pivots come scattered over the positions, but known in advance
            const double* soon = in_leaf + (other[p - AHEAD] & ~31);
            for (int line = 0; line < 4; ++line) __builtin_prefetch(soon + 8 * line, 1);
        }
        while (next > above[p]) {
            const std::int32_t member = other[--next];
            const double t = truth[next] - centre;
            total += t;
            magnitude += std::fabs(t);
            double* leaf = in_leaf + (member & ~31);
            double* row = in_row + (member >> 10) * 32;
            double* page = in_page + (member >> 15) * 32;
            const std::int64_t place = member & 31, column = (member >> 5) & 31, line = (member >> 10) & 31;
            for (std::int64_t k = 0; k < 32; ++k) leaf[k] += k > place ? t : 0.0;
            for (std::int64_t k = 0; k < 32; ++k) row[k] += k > column ? t : 0.0;
            for (std::int64_t k = 0; k < 32; ++k) page[k] += k > line ? t : 0.0;
            for (std::int32_t g = (member >> 15) + 1; g < pages; ++g) in_pages[g] += t;
        }
        double below[2];
        const std::int32_t at[2] = {begin[p], end[p]};
        const int queries = at[1] - at[0] == 1 ? 1 : 2;
        for (int q = 0; q < queries; ++q) {
            below[q] = in_pages[at[q] >> 15] + in_page[at[q] >> 10] + in_row[at[q] >> 5] + in_leaf[at[q]];
        }
        if (queries == 1) below[1] = below[0];
        const double t = truth[p] - centre;
        const std::int32_t inserted = n - next;
        double wrong_gaps = lower[p] ? lower[p] * t - below[0] : 0.0;
        double right_gaps = higher[p] ? (total - below[1]) - higher[p] * t : 0.0;
        if ((lower[p] || higher[p]) && (inserted < 64 || wrong_gaps + right_gaps < 1e-6 * magnitude)) {
            const double* both[2] = {unscaled, truth};
            for (int k = 0; k < 2; ++k) {
                wrong_gaps = right_gaps = 0.0;
                for (std::int32_t j = next; j < n; ++j) {
                    const double gap = both[k][j] - both[k][p];
                    right_gaps += gap > 0.0 ? gap : 0.0;
                    wrong_gaps += gap < 0.0 ? -gap : 0.0;
                }
                if (right_gaps + wrong_gaps <= 1.7976931348623157e308) break;
            }
        }
        const double gaps = right_gaps + wrong_gaps;
        if (gaps > 0.0) {
            loss += 2.0 * (wrong_gaps / gaps);
            ++*pivots;
        }
    }
    return loss;
}

struct GapScratch {
    Buffer<double> truth, unscaled, right, wrong, right_scaled, wrong_scaled;
    ScoreSums sums;
};

// Mean over the pivots that have a gap above them; NaN when there is none. `truth_levels` is only read for large n. Where
// the truth has huge scores they are scaled, so that sums exist; pivots whose gaps can be summed as they are have those,
// because scaling makes scores equal that are tiny beside the largest.
inline double tau_gap(const double* truth, const Levels& estimate, const Levels& truth_levels, Scratch& s, GapScratch& g) {
    const std::int32_t n = estimate.n;
    const double scale = sum_scale(truth, n);
    g.truth.resize(n);
    for (std::int32_t p = 0; p < n; ++p) g.truth[p] = truth[estimate.order[p]] * scale;
    const double* unscaled = g.truth.data();
    if (scale != 1.0) {
        g.unscaled.resize(n);
        for (std::int32_t p = 0; p < n; ++p) g.unscaled[p] = truth[estimate.order[p]];
        unscaled = g.unscaled.data();
    }
    double loss = 0.0;
    std::int64_t pivots = 0;
    if (n <= SET_ABOVE) {
        g.right.fill(n, 0.0);
        g.wrong.fill(n, 0.0);
        gaps_small(unscaled, estimate.group_begin.data(), n, g.right.data(), g.wrong.data());
        if (scale != 1.0) {
            g.right_scaled.fill(n, 0.0);
            g.wrong_scaled.fill(n, 0.0);
            gaps_small(g.truth.data(), estimate.group_begin.data(), n, g.right_scaled.data(), g.wrong_scaled.data());
        }
        for (std::int32_t p = n - 1; p >= 0; --p) {
            double gaps = g.right[p] + g.wrong[p], wrong = g.wrong[p];
            if (!(gaps <= std::numeric_limits<double>::max())) {
                gaps = g.right_scaled[p] + g.wrong_scaled[p];
                wrong = g.wrong_scaled[p];
            }
            if (!(gaps > 0.0)) continue;
            loss += 2.0 * (wrong / gaps);
            ++pivots;
        }
    } else {
        // The median: one outlier must not make all others look alike.
        const double centre = truth[truth_levels.order[n / 2]] * scale;
        pair_counts(estimate, truth_levels, s);
        g.sums.reset(n);
        loss = gaps_large(g.truth.data(), unscaled, centre, s.walk.other.data(), s.walk.other_begin.data(),
                          s.walk.other_end.data(), estimate.group_end.data(), s.higher.data(), s.lower.data(), n,
                          g.sums.in_leaf.data(), g.sums.in_row.data(), g.sums.in_page.data(), g.sums.in_pages.data(),
                          g.sums.pages, &pivots);
    }
    return pivots ? 1.0 - loss / static_cast<double>(pivots) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tauscope
