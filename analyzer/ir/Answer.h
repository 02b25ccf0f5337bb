// Answers to questions about modules that the code may leave open.
#pragma once

namespace gradtidy {

/// Ordered so that the larger of two answers is that of a whole made of both.
enum class Answer : unsigned char { No, Unknown, Yes };

} // namespace gradtidy
