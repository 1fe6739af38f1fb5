// Temporary folders beside their final place, and renaming them there.
#include "OutputFolder.h"
#include "CommandLine.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

using namespace trainc;
namespace fs = std::filesystem;

OutputFolder::OutputFolder(const std::string &target, bool isForced, const std::string &marker)
    : target(fs::path(target).has_filename() ? target : fs::path(target).parent_path().string()) {
  if (fs::exists(target) && !isForced)
    throw UsageError(fmt::format("{} exists; remove it or give --force", target));
  if (fs::exists(target) && !fs::exists(fs::path(target) / marker))
    throw UsageError(
        fmt::format("{} exists and holds no {}; --force replaces only what this tool wrote", target, marker));
  std::string pattern =
      (target.empty() ? (fs::temp_directory_path() / "trainc").string() : this->target) + ".partial-XXXXXX";
  if (!mkdtemp(pattern.data()))
    throw UsageError(
        fmt::format("cannot write to {}: {}", fs::absolute(pattern).parent_path().string(), std::strerror(errno)));
  temporary = pattern;
  fs::permissions(temporary, fs::perms(0755));
}

OutputFolder::~OutputFolder() {
  std::error_code ignored; // a destructor has nobody to tell
  if (!temporary.empty())
    fs::remove_all(temporary, ignored);
}

void OutputFolder::commit() {
  std::error_code error;
  std::string old = temporary + "-old";
  if (fs::exists(target))
    fs::rename(target, old, error);
  if (!error)
    fs::rename(temporary, target, error);
  if (error)
    throw UsageError(fmt::format("cannot write {}: {}", target, error.message()));
  temporary.clear();
  fs::remove_all(old, error);
}

void trainc::makeDumpFolder(const std::string &path, bool isForced) {
  std::error_code error;
  if (fs::exists(path) && !isForced && !(fs::is_directory(path) && fs::is_empty(path)))
    throw UsageError(fmt::format("{} exists and is not an empty folder; remove it or give --force", path));
  fs::create_directories(path, error);
  if (error)
    throw UsageError(fmt::format("cannot make the folder {}: {}", path, error.message()));
}
