#include "Ownership.h"

#include "llvm/Support/Path.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gradtidy {

namespace {

/// Whether \p group is the one that systems make for the user alone.
bool isOwnGroup(gid_t group) {
  const passwd *user = ::getpwuid(::geteuid());
  if (!user || user->pw_gid != group)
    return false;
  const std::string name = user->pw_name;
  const struct group *entry = ::getgrgid(group);
  if (!entry || name != entry->gr_name)
    return false;
  for (char **member = entry->gr_mem; *member; ++member)
    if (name != *member)
      return false;
  return true;
}

bool belongsToUser(const struct stat &status) {
  return status.st_uid == ::geteuid() || status.st_uid == 0;
}

bool othersMayWrite(const struct stat &status) {
  return (status.st_mode & S_IWOTH) || ((status.st_mode & S_IWGRP) && !isOwnGroup(status.st_gid));
}

} // namespace

bool isKept(const struct stat &status) {
  return S_ISREG(status.st_mode) && belongsToUser(status) &&
         !(status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH));
}

bool isKept(const std::string &file) {
  struct stat status{};
  return ::lstat(file.c_str(), &status) == 0 && isKept(status);
}

std::string whyShared(llvm::StringRef folder) {
  for (llvm::StringRef at = folder; !at.empty(); at = llvm::sys::path::parent_path(at)) {
    struct stat status{};
    const std::string name = at.str();
    if (::stat(name.c_str(), &status) != 0)
      return "'" + name + "' cannot be looked at";
    if (!belongsToUser(status))
      return "'" + name + "' belongs to another user";
    const bool isSticky = at != folder && (status.st_mode & S_ISVTX);
    if (othersMayWrite(status) && !isSticky)
      return "other users can write to '" + name + "'";
  }
  return {};
}

} // namespace gradtidy
