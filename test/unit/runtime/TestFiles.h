//===- TestFiles.h - a temporary folder for a test ----------------------------------===//
//
// Each test gets an empty folder that is removed afterwards, and helpers to write and read small files in it.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace trainc {

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline std::string readText(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class FilesTest : public testing::Test {
protected:
  FilesTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "trainc-test-XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  ~FilesTest() override { std::filesystem::remove_all(root); }
  const std::string &folder() const { return root; }
  std::string path(const std::string &name) const { return root + "/" + name; }
  /// Entries of the folder: what a failed write must not leave behind.
  long fileCount() const {
    return std::distance(std::filesystem::directory_iterator(root), std::filesystem::directory_iterator());
  }

private:
  std::string root;
};

} // namespace trainc
