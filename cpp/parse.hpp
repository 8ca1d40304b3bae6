// Lines of columns, such as runs and judgments: bytes in; topics, documents, values and the first bad line out.
// No validation beyond the layout and no texts: Python words the errors. Twin: lines.parse
#pragma once
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace tauscope {

// The numbers of lines.Fault.
enum class Fault : int { NONE = 0, COLUMNS, VALUE, TAG, DUPLICATE, CONTROL, SECOND };

// Which columns a line has; tag = -1 where there is none; whole: values are integers of 32 bits; rank: this column is a
// whole number where text follows the columns (-1: none may follow).
struct Layout {
    int columns, document, value, tag;
    bool whole;
    int rank;
};

// Entries stand topic by topic, topics in order of first appearance, the order of the lines kept within a topic.
struct Table {
    std::vector<char> topics, documents;                         // texts, one after the other
    std::vector<std::int64_t> topic_starts{0}, starts{0};        // where they begin, and the end of the last
    std::vector<std::int64_t> offsets{0};                        // entries of topic t: offsets[t] .. offsets[t + 1]
    std::vector<double> values;
    std::vector<std::int64_t> by_hand;                           // entry, begin, end of numbers left to the caller
    std::string_view tag;
    Fault fault = Fault::NONE;
    std::int64_t fault_at = -1;                                  // where the bad line begins
};

inline std::uint64_t load(const char* text, std::size_t bytes) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, text, bytes);
    return word;
}

// One to eight bytes as a number; texts of equal size have equal numbers only if they are equal.
inline std::uint64_t load_short(const char* text, std::size_t size) noexcept {
    if (size >= 4) return load(text, 4) << 32 | load(text + size - 4, 4);
    return load(text, 1) << 16 | load(text + size / 2, 1) << 8 | load(text + size - 1, 1);
}

// Mixes eight bytes at a time, the last eight overlapping; equal texts have equal hashes, nothing else is promised.
inline std::uint64_t hash_text(const char* text, std::size_t size) noexcept {
    constexpr std::uint64_t MULTIPLIER = 0xD6E8FEB86659FD93ull;
    std::uint64_t h = size * 0x9E3779B97F4A7C15ull;
    if (size <= 8) {
        h ^= size ? load_short(text, size) : 0;
    } else {
        const char* const last = text + size - 8;
        for (; text < last; text += 8) {
            h = (h ^ load(text, 8)) * MULTIPLIER;
            h ^= h >> 32;
        }
        h ^= load(last, 8);
    }
    h *= MULTIPLIER;
    h ^= h >> 32;
    h *= MULTIPLIER;
    return h ^ (h >> 32);
}

inline bool same_text(const char* a, const char* b, std::size_t size) noexcept {
    if (size <= 8) return !size || load_short(a, size) == load_short(b, size);
    for (std::size_t i = 0; i + 8 < size; i += 8)
        if (load(a + i, 8) != load(b + i, 8)) return false;
    return load(a + size - 8, 8) == load(b + size - 8, 8);
}

namespace parsing {

// What a byte is to a line: text, a space between columns, its end, or a control character, which has no place in it.
enum Kind : unsigned char { TEXT = 0, SPACE, END, CONTROL };
struct Kinds {
    Kind of[256] = {};
    constexpr Kinds() {
        for (int c = 0; c < 32; ++c) of[c] = CONTROL;
        of[127] = CONTROL;
        of[static_cast<int>(' ')] = of[static_cast<int>('\t')] = SPACE;
        of[static_cast<int>('\n')] = of[static_cast<int>('\r')] = END;
    }
};
inline constexpr Kinds KINDS;
inline Kind kind_of(char c) noexcept { return KINDS.of[static_cast<unsigned char>(c)]; }
inline bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

inline constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum class Number { READ, WRONG, BY_HAND };

// Columns of a line beyond these are counted and not kept.
inline constexpr int MOST_COLUMNS = 12;

// [+-] digits, within 32 bits.
inline Number read_whole(const char* p, const char* end, double& value) noexcept {
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    if (p == end) return Number::WRONG;
    std::int64_t magnitude = 0;
    for (; p < end; ++p) {
        if (!is_digit(*p)) return Number::WRONG;
        magnitude = magnitude * 10 + (*p - '0');
        if (magnitude > INT32_MAX) return Number::WRONG;
    }
    value = static_cast<double>(negative ? -magnitude : magnitude);
    return Number::READ;
}

// [+-] digits [. digits] [e [+-] digits]; at least one digit before the exponent.
inline Number read_real(const char* p, const char* end, double& value) noexcept {
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    const char* const begin = p;
    std::uint64_t mantissa = 0;
    std::int64_t exponent = 0, digits = 0;
    bool exact = true;
    for (; p < end && is_digit(*p); ++p, ++digits) {
        exact = exact && mantissa < 900719925474099ull;
        if (exact) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    if (p < end && *p == '.') {
        for (++p; p < end && is_digit(*p); ++p, ++digits) {
            exact = exact && mantissa < 900719925474099ull;
            if (exact) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0'), --exponent;
        }
    }
    if (!digits) return Number::WRONG;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const bool below = ++p < end && *p == '-';
        if (below || (p < end && *p == '+')) ++p;
        if (p == end) return Number::WRONG;
        std::int64_t written = 0;
        for (; p < end && is_digit(*p); ++p) written = written < 100000 ? written * 10 + (*p - '0') : written;
        exponent += below ? -written : written;
    }
    if (p != end) return Number::WRONG;
    // Both factors are exact doubles, so that one rounding remains: the nearest double.
    if (exact && exponent >= -22 && exponent <= 22) {
        const double m = static_cast<double>(mantissa);
        value = exponent < 0 ? m / POWERS[-exponent] : m * POWERS[exponent];
    } else {
#if defined(__cpp_lib_to_chars)
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (error != std::errc() || stop != end) return Number::BY_HAND;
#else
        return Number::BY_HAND;
#endif
    }
    if (negative) value = -value;
    return Number::READ;
}

// The cells of a line between delimiters as numbers: whether all of them are, and there are exactly `width`. A cell
// that takes more than digits, a point and an exponent is left to the caller, and so is the line. Twin: lines.row
inline bool read_row(const char* p, const char* end, char delimiter, double* out, std::size_t width) noexcept {
    while (end > p && (end[-1] == '\n' || end[-1] == '\r')) --end;
    for (std::size_t column = 0; column < width; ++column) {
        const char* stop = p;
        while (stop < end && *stop != delimiter) ++stop;
        if (stop == p || (stop == end) != (column + 1 == width)) return false;
        if (read_real(p, stop, out[column]) != Number::READ) return false;
        p = stop + 1;
    }
    return width > 0;
}

struct Entry {
    std::int64_t begin, size, topic;
    double value;
};

struct TopicNumbers {
    std::unordered_map<std::string_view, std::int64_t> numbers;
    std::vector<std::string_view> names;
    std::string_view last;
    std::int64_t number = -1;

    std::int64_t of(std::string_view name) {
        if (number >= 0 && name == last) return number;
        number = numbers.try_emplace(name, static_cast<std::int64_t>(names.size())).first->second;
        if (number == static_cast<std::int64_t>(names.size())) names.push_back(name);
        last = name;
        return number;
    }
};

// Stable: lines of one topic need not stand together.
inline void group(std::vector<Entry>& entries, std::size_t topics, Table& table) {
    table.offsets.assign(topics + 1, 0);
    bool grouped = true;
    std::int64_t before = 0;
    for (const Entry& e : entries) {
        ++table.offsets[static_cast<std::size_t>(e.topic) + 1];
        grouped &= e.topic >= before;
        before = e.topic;
    }
    for (std::size_t t = 0; t < topics; ++t) table.offsets[t + 1] += table.offsets[t];
    if (grouped) return;
    std::vector<std::int64_t> next(table.offsets.begin(), table.offsets.end() - 1);
    std::vector<std::int64_t> moved(entries.size());
    std::vector<Entry> sorted(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::int64_t place = next[static_cast<std::size_t>(entries[i].topic)]++;
        moved[i] = place;
        sorted[static_cast<std::size_t>(place)] = entries[i];
    }
    for (std::size_t k = 0; k < table.by_hand.size(); k += 3)
        table.by_hand[k] = moved[static_cast<std::size_t>(table.by_hand[k])];
    entries.swap(sorted);
}

// Where the first document stands that its topic has already, or -1.
inline std::int64_t first_duplicate(const char* data, const std::vector<Entry>& entries, const Table& table) {
    std::vector<std::uint64_t> slots;
    std::int64_t first = -1;
    for (std::size_t t = 0; t + 1 < table.offsets.size(); ++t) {
        const std::int64_t begin = table.offsets[t], end = table.offsets[t + 1];
        std::size_t capacity = 16;
        while (capacity < static_cast<std::size_t>(end - begin) * 2) capacity *= 2;
        slots.assign(capacity, 0);
        for (std::int64_t i = begin; i < end; ++i) {
            const Entry& e = entries[static_cast<std::size_t>(i)];
            const std::uint64_t h = hash_text(data + e.begin, static_cast<std::size_t>(e.size));
            // A slot has 32 bits of the hash and 32 of the entry, counted from 1 within the topic.
            const std::uint64_t stored = (h & 0xFFFFFFFF00000000ull) | static_cast<std::uint64_t>(i - begin + 1);
            for (std::size_t s = h & (capacity - 1);; s = (s + 1) & (capacity - 1)) {
                if (!slots[s]) {
                    slots[s] = stored;
                    break;
                }
                if ((slots[s] ^ stored) >> 32) continue;
                const Entry& other = entries[static_cast<std::size_t>(begin) + (slots[s] & 0xFFFFFFFFull) - 1];
                if (other.size != e.size) continue;
                if (!same_text(data + other.begin, data + e.begin, static_cast<std::size_t>(e.size))) continue;
                if (first < 0 || e.begin < first) first = e.begin;
                break;
            }
        }
    }
    return first;
}

inline std::int64_t line_begin(const char* data, std::int64_t at) noexcept {
    while (at > 0 && kind_of(data[at - 1]) != END) --at;
    return at;
}

// Reads all lines, or up to the first bad one.
inline void read_lines(const char* data, std::size_t size, const Layout& layout, std::vector<Entry>& entries,
                       TopicNumbers& topics, Table& table) {
    const char *p = data, *const end = data + size;
    std::string_view columns[MOST_COLUMNS];
    while (p < end) {
        const char* const line = p;
        int found = 0;
        bool control = false;
        for (;;) {
            while (p < end && kind_of(*p) == SPACE) ++p;
            if (p == end || kind_of(*p) == END) break;
            const char* const begin = p;
            for (; p < end; ++p) {
                const Kind kind = kind_of(*p);
                if (kind == SPACE || kind == END) break;
                control |= kind == CONTROL;
            }
            if (found < MOST_COLUMNS) columns[found] = {begin, static_cast<std::size_t>(p - begin)};
            ++found;
        }
        if (p < end) ++p;  // what stands between CR and LF is one more empty line
        if (!found || columns[0].front() == '#') continue;
        const auto bad = [&](Fault fault) { table.fault = fault, table.fault_at = line - data; };
        if (control) return bad(Fault::CONTROL);
        double value = std::numeric_limits<double>::quiet_NaN();
        if (found != layout.columns) {
            // Text after the tag, or a document with a space in it: then no number stands where the rank should.
            if (found < layout.columns || layout.rank < 0) return bad(Fault::COLUMNS);
            const std::string_view rank = columns[layout.rank];
            if (read_whole(rank.data(), rank.data() + rank.size(), value) == Number::WRONG) return bad(Fault::COLUMNS);
            if (found >= 2 * layout.columns && 2 * layout.columns <= MOST_COLUMNS) {
                // Two lines that became one: the columns of one more document follow.
                const std::string_view place = columns[layout.columns + layout.rank];
                const std::string_view score = columns[layout.columns + layout.value];
                if (read_whole(place.data(), place.data() + place.size(), value) != Number::WRONG &&
                    read_real(score.data(), score.data() + score.size(), value) != Number::WRONG)
                    return bad(Fault::SECOND);
            }
        }
        const std::string_view document = columns[layout.document], text = columns[layout.value];
        const Number read = layout.whole ? read_whole(text.data(), text.data() + text.size(), value)
                                         : read_real(text.data(), text.data() + text.size(), value);
        if (read == Number::WRONG) return bad(Fault::VALUE);
        if (read == Number::BY_HAND)
            table.by_hand.insert(table.by_hand.end(), {static_cast<std::int64_t>(entries.size()), text.data() - data,
                                                       text.data() - data + static_cast<std::int64_t>(text.size())});
        if (layout.tag >= 0) {
            if (entries.empty()) table.tag = columns[layout.tag];
            if (columns[layout.tag] != table.tag) return bad(Fault::TAG);
        }
        entries.push_back({document.data() - data, static_cast<std::int64_t>(document.size()), topics.of(columns[0]), value});
    }
}

}  // namespace parsing

inline void parse(const char* data, std::size_t size, const Layout& layout, Table& table) {
    std::vector<parsing::Entry> entries;
    entries.reserve(size / 40 + 1);
    parsing::TopicNumbers topics;
    parsing::read_lines(data, size, layout, entries, topics, table);
    if (table.fault != Fault::NONE) return;
    parsing::group(entries, topics.names.size(), table);
    const std::int64_t twice = parsing::first_duplicate(data, entries, table);
    if (twice >= 0) {
        table.fault = Fault::DUPLICATE;
        table.fault_at = parsing::line_begin(data, twice);
        return;
    }
    for (const std::string_view name : topics.names) {
        table.topics.insert(table.topics.end(), name.begin(), name.end());
        table.topic_starts.push_back(static_cast<std::int64_t>(table.topics.size()));
    }
    std::int64_t total = 0;
    for (const parsing::Entry& e : entries) total += e.size;
    table.documents.resize(static_cast<std::size_t>(total));
    table.starts.reserve(entries.size() + 1);
    table.values.reserve(entries.size());
    char* to = table.documents.data();
    for (const parsing::Entry& e : entries) {
        std::memcpy(to, data + e.begin, static_cast<std::size_t>(e.size));
        to += e.size;
        table.starts.push_back(to - table.documents.data());
        table.values.push_back(e.value);
    }
}

}  // namespace tauscope
