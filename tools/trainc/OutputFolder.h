// A folder that appears at its final path whole or not at all.
#pragma once
#include <string>

namespace trainc {

class OutputFolder {
public:
  /// Makes a temporary folder beside `target` (in the system's temporary folder where `target` is empty).
  /// Errors: throws UsageError if `target` exists and `isForced` is false, or if it exists and is no folder that holds
  /// `marker`: --force replaces what this tool wrote, nothing else.
  OutputFolder(const std::string &target, bool isForced, const std::string &marker);
  /// Removes the temporary folder.
  ~OutputFolder();
  OutputFolder(const OutputFolder &) = delete;

  const std::string &path() const { return temporary; }
  /// Puts the folder into its place. Errors: throws UsageError.
  void commit();

private:
  std::string target, temporary;
};

/// Makes the folder for IR dumps. Errors: throws UsageError if it exists with files in it and `isForced` is false.
void makeDumpFolder(const std::string &path, bool isForced);

} // namespace trainc
