// Kendall's tau and the AP correlations from pivot counts. Walks go through the estimate, best first; the counts are
// those of pairs.hpp. Twins: the functions of the same name in core/formulas.py
#pragma once
#include "pairs.hpp"

namespace tauscope {

struct Scratch {
    Levels* disposable = nullptr;  // the judge, where nobody needs it once the walk is built
    Walk walk;
    Counter counter;
    Buffer<std::int32_t> higher, lower, higher_more, lower_more;
};

inline PairCounts pair_counts(const Levels& estimate, const Levels& truth, Scratch& s) {
    const std::int32_t n = estimate.n;
    s.walk.build(estimate, truth);
    if (s.disposable) s.disposable->release();
    s.higher.resize(n);
    s.lower.resize(n);
    s.counter.count(s.walk, estimate.upper(), s.higher.data(), s.lower.data());
    PairCounts c;
    for (std::int32_t p = 0; p < n; ++p) {
        c.concordant += s.higher[p];
        c.discordant += s.lower[p];
    }
    c.tied_estimate = estimate.ties;
    c.tied_truth = truth.ties;
    return c;
}

inline double tau_a(const PairCounts& c, std::int64_t pairs) noexcept {
    return static_cast<double>(c.concordant - c.discordant) / static_cast<double>(pairs);
}

// radja2018 (2.4). Equal denominators need no root, so that a perfect reversal is exactly -1.
inline double tau_b(const PairCounts& c, std::int64_t pairs) noexcept {
    const auto s = static_cast<double>(c.concordant - c.discordant);
    const auto a = static_cast<double>(pairs - c.tied_estimate), b = static_cast<double>(pairs - c.tied_truth);
    const double value = a == b ? s / a : s / (std::sqrt(a) * std::sqrt(b));
    return std::min(1.0, std::max(-1.0, value));
}

// radja2018 (5.1), as 1 - loss.
inline double tau_e(const PairCounts& c, std::int64_t pairs) noexcept {
    const std::int64_t tied_in_both = c.concordant + c.discordant + c.tied_estimate + c.tied_truth - pairs;
    return 1.0 - 2.0 * static_cast<double>(pairs - c.concordant - tied_in_both) / static_cast<double>(pairs);
}

// Mean of 1 / (items above) over the places 0..size-1 that a pivot may take in its group, `above` items being above the group.
inline double mean_inverse(std::int32_t above, std::int32_t size) noexcept {
    double sum = 0.0;
    for (std::int32_t k = 0; k < size; ++k) sum += 1.0 / (static_cast<double>(above) + k);
    return sum / size;
}

// The share of a pivot's weight that one other member of its own group gets, averaged over the orders of the group.
inline double group_inverse(std::int32_t above, std::int32_t size) noexcept {
    double sum = 0.0;
    for (std::int32_t k = 1; k < size; ++k) sum += static_cast<double>(k) / (static_cast<double>(above) + k);
    return sum / (static_cast<double>(size) * (size - 1));
}

// urbano2016 (2); also the untied case of the variants.
inline double tau_ap(const Levels& estimate, const Levels& truth, Scratch& s) {
    const std::int32_t n = estimate.n;
    pair_counts(estimate, truth, s);
    double loss = 0.0;
    for (std::int32_t p = n - 2; p >= 0; --p) loss += static_cast<double>(s.lower[p]) / (n - 1 - p);
    return 1.0 - 2.0 * loss / (n - 1);
}

// radja2018 (4.4), (6.2). Groups: items tied with exactly the same items (`stepping`); equal scores when there is no tolerance.
inline double tau_ap_a(const Levels& estimate, const Levels& truth, Scratch& s) {
    const std::int32_t n = estimate.n;
    pair_counts(estimate, truth, s);
    const std::int32_t *lower = estimate.lower(), *upper = estimate.upper();
    double sum = 0.0;
    for (std::int32_t end = n; end > 0;) {
        std::int32_t begin = end - 1;
        std::int64_t balance = s.higher[begin] - s.lower[begin];
        while (begin > 0 && lower[begin - 1] == lower[end - 1] && upper[begin - 1] == upper[end - 1]) {
            --begin;
            balance += s.higher[begin] - s.lower[begin];
        }
        const std::int32_t above = n - end, size = end - begin;
        if (above > 0) {
            sum += size == 1 ? static_cast<double>(balance) / above : mean_inverse(above, size) * static_cast<double>(balance);
        }
        end = begin;
    }
    return sum / (n - 1);
}

// One direction of radja2018 (4.8), (6.5): walks `walked`; NaN when nothing is above anything.
inline double tau_ap_ties(const Levels& walked, const Levels& judge, bool ties_are_zero, Scratch& s) {
    const std::int32_t n = walked.n;
    pair_counts(walked, judge, s);
    const std::int32_t* upper = walked.upper();
    double loss = 0.0;
    std::int64_t pivots = 0;
    for (std::int32_t p = n - 1; p >= 0; --p) {
        const std::int32_t above = n - upper[p];
        if (above == 0) continue;
        const std::int32_t right = s.higher[p], wrong = s.lower[p];
        const double twice = ties_are_zero ? static_cast<double>(above) - right + wrong : 2.0 * (above - right);
        loss += twice / above;
        ++pivots;
    }
    return pivots ? 1.0 - loss / static_cast<double>(pivots) : std::numeric_limits<double>::quiet_NaN();
}

// Both directions of tau_ap_b from one count: the items that both rankings put above a pivot are the same on either walk.
// Only `ties_are_zero` needs to know which of the others are below and which are tied.
inline void tau_ap_b(const Levels& estimate, const Levels& truth, bool ties_are_zero, Scratch& s, double directions[2]) {
    directions[0] = tau_ap_ties(estimate, truth, ties_are_zero, s);
    if (ties_are_zero) {
        directions[1] = tau_ap_ties(truth, estimate, true, s);
        return;
    }
    const std::int32_t n = estimate.n;
    double loss = 0.0;
    std::int64_t pivots = 0;
    for (std::int32_t p = n - 1; p >= 0; --p) {
        const std::int32_t above = n - s.walk.other_end[p];
        if (above == 0) continue;
        loss += 2.0 * (above - s.higher[p]) / above;
        ++pivots;
    }
    directions[1] = pivots ? 1.0 - loss / static_cast<double>(pivots) : std::numeric_limits<double>::quiet_NaN();
}

// radja2018 (5.2), (6.7), averaged over the orders of exactly equal estimates; as 1 - loss.
inline double tau_ap_e(const Levels& estimate, const Levels& truth, Scratch& s) {
    const std::int32_t n = estimate.n;
    pair_counts(estimate, truth, s);
    const std::int32_t *upper = estimate.upper(), *group_begin = estimate.group_begin.data(),
                       *group_end = estimate.group_end.data();
    const bool wide = upper != group_end;
    // Truth ties among the items above the pivot: with the tolerance (tied_far), above the equal group (tied_up).
    s.higher_more.resize(n);
    s.lower_more.resize(n);
    if (wide) s.counter.count(s.walk, group_end, s.higher_more.data(), s.lower_more.data());
    std::int32_t *agree_above = s.higher.data(), *tied_up = s.lower.data();  // in place of counts not needed again
    for (std::int32_t p = 0; p < n; ++p) {
        const std::int32_t tied_far = (n - upper[p]) - s.higher[p] - s.lower[p];
        const std::int32_t up = wide ? (n - group_end[p]) - s.higher_more[p] - s.lower_more[p] : tied_far;
        agree_above[p] = s.higher[p] + up - tied_far;
        tied_up[p] = up;
    }
    const bool grouped = estimate.exact_ties > 0;
    if (grouped && truth.ties > 0) {
        s.counter.count(s.walk, group_begin, s.higher_more.data(), s.lower_more.data());
    }
    double loss = 0.0;
    for (std::int32_t end = n; end > 0;) {
        const std::int32_t begin = group_begin[end - 1], size = end - begin, above = n - end;
        std::int64_t wrong_above = 0, wrong_within = 0;
        for (std::int32_t p = begin; p < end; ++p) {
            wrong_above += above - agree_above[p];
            if (size == 1) continue;
            // The pivot is tied with itself.
            const std::int32_t agree = truth.ties > 0 ? (n - begin) - s.higher_more[p] - s.lower_more[p] - tied_up[p] - 1 : 0;
            wrong_within += size - 1 - agree;
        }
        if (above > 0) {
            loss += size == 1 ? static_cast<double>(wrong_above) / above
                              : mean_inverse(above, size) * static_cast<double>(wrong_above);
        }
        if (size > 1) loss += group_inverse(above, size) * static_cast<double>(wrong_within);
        end = begin;
    }
    return std::min(1.0, std::max(-1.0, 1.0 - 2.0 * loss / (n - 1)));
}

}  // namespace tauscope
