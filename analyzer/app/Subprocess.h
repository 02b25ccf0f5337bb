// Programs that this process starts: they never outlive it.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace gradtidy {

/// Runs the program at the path \p arguments.front() to its end, with the files \p streams as its
/// standard input (read), standard output and standard error (both written). Returns its exit
/// status, or -1 if it could not be started or was ended by a signal.
///
/// The program is in a session of its own, so it cannot ask anything on the terminal. On Linux it
/// is killed when this process ends in any way. One at a time.
int runSubprocess(const std::vector<std::string> &arguments,
                  const std::array<std::string, 3> &streams);

/// Kills the program that runSubprocess() waits for, and what that has started. For handlers of
/// signals, too.
void killSubprocess();

} // namespace gradtidy
