// The order of a run's documents, and which of them were judged how. Twins: lines.order, lines.judged
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "parse.hpp"

namespace tauscope {

// Texts one after the other: number i is text[starts[i] .. starts[i + 1]).
struct Texts {
    const char* text;
    const std::int64_t* starts;

    const char* at(std::int64_t i) const noexcept { return text + starts[i]; }
    std::size_t size(std::int64_t i) const noexcept { return static_cast<std::size_t>(starts[i + 1] - starts[i]); }
    bool above(std::int64_t a, std::int64_t b) const noexcept {
        const std::size_t la = size(a), lb = size(b);
        const int c = std::memcmp(at(a), at(b), std::min(la, lb));
        return c ? c > 0 : la > lb;
    }
};

// Entries of each topic from first to last: score descending, then document descending by bytes, or, with
// `input_order`, equal scores as they come. order: one number an entry.
inline void rank_documents(Texts documents, const double* scores, const std::int64_t* offsets, std::size_t topics,
                           bool input_order, std::int64_t* order) {
    struct Scored {
        double score;
        std::int64_t entry;
    };
    std::vector<Scored> scored;
    const auto before = [&](const Scored& a, const Scored& b) {
        if (a.score != b.score) return a.score > b.score;
        return input_order ? a.entry < b.entry : documents.above(a.entry, b.entry);
    };
    for (std::size_t t = 0; t < topics; ++t) {
        const std::int64_t begin = offsets[t], end = offsets[t + 1];
        scored.clear();
        bool sorted = true;
        for (std::int64_t i = begin; i < end; ++i) {
            scored.push_back({scores[i], i});
            if (i > begin) sorted = sorted && before(scored[scored.size() - 2], scored.back());
        }
        if (!sorted) std::sort(scored.begin(), scored.end(), before);
        for (const Scored& s : scored) *order++ = s.entry;
    }
}

// A hash table a topic over judged documents. A slot has 32 bits of the hash and 32 of the entry, counted from 1 within
// the topic; 0 is empty.
struct JudgmentIndex {
    std::vector<std::uint64_t> slots;
    std::vector<std::int64_t> slot_offsets{0};
};

inline void index_judgments(Texts documents, const std::int64_t* offsets, std::size_t topics, JudgmentIndex& index) {
    for (std::size_t t = 0; t < topics; ++t) {
        std::size_t capacity = 16;
        while (capacity < static_cast<std::size_t>(offsets[t + 1] - offsets[t]) * 2) capacity *= 2;
        const std::size_t base = index.slots.size();
        index.slots.resize(base + capacity, 0);
        index.slot_offsets.push_back(static_cast<std::int64_t>(base + capacity));
        std::uint64_t* const slots = index.slots.data() + base;
        for (std::int64_t i = offsets[t]; i < offsets[t + 1]; ++i) {
            const std::uint64_t h = hash_text(documents.at(i), documents.size(i));
            std::size_t s = h & (capacity - 1);
            while (slots[s]) s = (s + 1) & (capacity - 1);
            slots[s] = (h & 0xFFFFFFFF00000000ull) | static_cast<std::uint64_t>(i - offsets[t] + 1);
        }
    }
}

// The judged documents among the first `depth` of a run: their topic, place (0 for the first) and entry in the qrels.
struct Found {
    std::vector<std::int32_t> topic, place;
    std::vector<std::int64_t> entry;
};

// topic_of[t]: the number, in the qrels, of the run's topic t, or -1.
inline void find_judged(Texts documents, const std::int64_t* offsets, const std::int64_t* order,
                        const std::int64_t* topic_of, std::size_t topics, std::int64_t depth, Texts judged,
                        const std::int64_t* judged_offsets, const std::uint64_t* slots,
                        const std::int64_t* slot_offsets, Found& found) {
    for (std::size_t t = 0; t < topics; ++t) {
        const std::int64_t q = topic_of[t];
        if (q < 0) continue;
        const std::uint64_t* const table = slots + slot_offsets[q];
        const auto mask = static_cast<std::size_t>(slot_offsets[q + 1] - slot_offsets[q]) - 1;
        const std::int64_t count = std::min(depth, offsets[t + 1] - offsets[t]);
        for (std::int64_t place = 0; place < count; ++place) {
            const std::int64_t i = order[offsets[t] + place];
            const std::size_t size = documents.size(i);
            const std::uint64_t h = hash_text(documents.at(i), size);
            for (std::size_t s = h & mask; table[s]; s = (s + 1) & mask) {
                if ((table[s] ^ h) >> 32) continue;
                const std::int64_t e = judged_offsets[q] + static_cast<std::int64_t>(table[s] & 0xFFFFFFFFull) - 1;
                if (judged.size(e) != size || !same_text(judged.at(e), documents.at(i), size)) continue;
                found.topic.push_back(static_cast<std::int32_t>(q));
                found.place.push_back(static_cast<std::int32_t>(place));
                found.entry.push_back(e);
                break;
            }
        }
    }
}

}  // namespace tauscope
