// The range of the systems' sums when their scores are exchanged at random within each topic. Twin: permutations.permuted_ranges
#pragma once
#include <cstdint>
#include <vector>

#include "levels.hpp"

namespace tauscope {

// Random numbers are a function of what they are for, so that neither threads nor blocks of draws change them: SplitMix64, whose
// k-th word is the finalised sum of a start and k times the golden ratio.
constexpr std::uint64_t GOLDEN = 0x9E3779B97F4A7C15ull;

inline std::uint64_t finalise(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

// places[i], from 0 to i: the high half of a 32-bit number times i + 1, two from each word. No place is more than (i + 1) / 2^32
// likelier than another. `places` has room for an even number.
TAUSCOPE_CLONES
inline void random_places(std::uint64_t start, std::int32_t m, std::uint32_t* places) noexcept {
    for (std::int32_t i = 0; i < m; i += 2) {
        start += 0x9E3779B97F4A7C15ull;
        std::uint64_t z = start;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        z ^= z >> 31;
        places[i] = static_cast<std::uint32_t>(((z & 0xFFFFFFFFull) * static_cast<std::uint64_t>(i + 1)) >> 32);
        places[i + 1] = static_cast<std::uint32_t>(((z >> 32) * static_cast<std::uint64_t>(i + 2)) >> 32);
    }
}

// Fisher and Yates, from the inside out: a random order of `row` in `shuffled`, added to `sums`.
TAUSCOPE_CLONES
inline void add_shuffled(const double* row, const std::uint32_t* places, std::int32_t m, double* shuffled,
                         double* sums) noexcept {
    for (std::int32_t i = 0; i < m; ++i) {
        const std::uint32_t at = places[i];
        shuffled[i] = shuffled[at];
        shuffled[at] = row[i];
    }
    for (std::int32_t i = 0; i < m; ++i) sums[i] += shuffled[i];
}

struct PermuteScratch {
    std::vector<std::uint32_t> places;
    std::vector<double> shuffled, sums;
};

// scores: topics x m, m at least 1.
inline double permuted_range(const double* scores, std::size_t topics, std::int32_t m, std::uint64_t key,
                             std::uint64_t draw, PermuteScratch& w) {
    w.places.resize(static_cast<std::size_t>(m) + 1);
    w.shuffled.assign(m, 0.0);
    w.sums.assign(m, 0.0);
    for (std::size_t t = 0; t < topics; ++t) {
        random_places(finalise(key + (draw * topics + t + 1) * GOLDEN), m, w.places.data());
        add_shuffled(scores + t * m, w.places.data(), m, w.shuffled.data(), w.sums.data());
    }
    const auto ends = std::minmax_element(w.sums.begin(), w.sums.end());
    return *ends.second - *ends.first;
}

}  // namespace tauscope
