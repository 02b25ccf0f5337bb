// What tells states apart that reach the same block.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>

namespace gradtidy {

/// What is known of the answers to the repeated conditions of a function (see Conditions.h).
class Answers {
public:
  /// The answer to \p condition, if it is known.
  std::optional<bool> to(unsigned condition) const {
    const std::uint32_t known = bits & both(condition);
    return known ? std::optional(known == one(condition, true)) : std::nullopt;
  }
  bool isKnown(unsigned condition) const { return bits & both(condition); }

  void learn(unsigned condition, bool answer) { bits |= one(condition, answer); }
  void forget(unsigned condition) { bits &= ~both(condition); }

  /// Keeps what \p other knows as well.
  void meet(Answers other) { bits &= other.bits; }

  /// The same, but the other answer to \p condition, which must be known.
  Answers withOther(unsigned condition) const {
    Answers others;
    others.bits = bits ^ both(condition);
    return others;
  }

  /// The number behind the last condition with a known answer.
  unsigned end() const { return (std::bit_width(bits) + 1) / 2; }

  friend auto operator<=>(Answers, Answers) = default;

private:
  static constexpr std::uint32_t both(unsigned condition) { return 3u << (2 * condition); }
  static constexpr std::uint32_t one(unsigned condition, bool answer) {
    return (answer ? 1u : 2u) << (2 * condition);
  }

  std::uint32_t bits = 0; ///< Two for each condition: yes and no.
};

/// Which round of a `for` or `while` loop, which is assumed to run at least once, a state at its
/// head is about to make: one more, none after the last, or who knows.
enum class Round : unsigned char { Any, Last, Next };

struct Partition {
  Round round;
  Answers answers;
  friend auto operator<=>(const Partition &, const Partition &) = default;
};

} // namespace gradtidy
