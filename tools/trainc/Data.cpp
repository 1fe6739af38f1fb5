// trainc data: text in, token files out. A token is a byte.
#include "Commands.h"
#include "runtime/core/TokenFile.h"
#include <filesystem>
#include <fmt/format.h>

using namespace trainc;

namespace {
constexpr uint32_t kByteVocabulary = 256;

struct DataArguments {
  std::vector<std::string> texts;
  std::string output, heldOutOutput;
  double heldOutFraction = 0;
  bool isForced = false;
};

double parseFraction(const std::string &text) {
  char *end = nullptr;
  double fraction = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(fraction > 0 && fraction < 1))
    throw UsageError(fmt::format("option '--held-out' expects a fraction between 0 and 1, got '{}'", text));
  return fraction;
}

void checkOutput(const std::string &path, bool isForced) {
  if (std::filesystem::exists(path) && !isForced)
    throw UsageError(fmt::format("{} exists; remove it or give --force", path));
}

/// Whether both paths lead to one file, which need not exist yet.
bool isSameFile(const std::string &first, const std::string &second) {
  std::error_code error; // of a path that cannot be looked up; opening it says why
  if (std::filesystem::equivalent(first, second, error))
    return true;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(first), error) ==
         std::filesystem::weakly_canonical(std::filesystem::absolute(second), error);
}

/// No output may be another output or a text, even with --force.
void checkDistinct(const DataArguments &arguments) {
  std::vector<std::string> others = arguments.texts;
  if (!arguments.heldOutOutput.empty())
    others.push_back(arguments.heldOutOutput);
  for (const std::string &other : others)
    if (isSameFile(arguments.output, other))
      throw UsageError(fmt::format("option '-o' expects a file of its own, {} is also {}", arguments.output, other));
  for (const std::string &text : arguments.texts)
    if (!arguments.heldOutOutput.empty() && isSameFile(arguments.heldOutOutput, text))
      throw UsageError(fmt::format("option '--held-out-output' expects a file of its own, {} is also the text {}",
                                   arguments.heldOutOutput, text));
}

DataArguments parse(const std::vector<std::string> &arguments) {
  DataArguments parsed;
  CommandLine line(
      "trainc data TEXT... -o FILE.bin [options]",
      "Turns texts, one after the other, into a token file. Each byte is a token, so the vocabulary is 256.",
      {{"-o", "FILE.bin", "the token file to write", [&](const std::string &path) { parsed.output = path; }},
       {"--held-out", "FRACTION", "keep the last part of the text out of the token file",
        [&](const std::string &value) { parsed.heldOutFraction = parseFraction(value); }},
       {"--held-out-output", "FILE.bin", "write that part here",
        [&](const std::string &path) { parsed.heldOutOutput = path; }},
       {"--force", "", "overwrite files that exist", [&](const std::string &) { parsed.isForced = true; }}});
  parsed.texts = line.parse(arguments);
  if (parsed.texts.empty())
    throw UsageError("data expects at least one text file");
  if (parsed.output.empty())
    throw UsageError("data expects -o FILE.bin");
  if ((parsed.heldOutFraction > 0) != !parsed.heldOutOutput.empty())
    throw UsageError("options '--held-out' and '--held-out-output' belong together");
  checkDistinct(parsed);
  checkOutput(parsed.output, parsed.isForced);
  if (!parsed.heldOutOutput.empty())
    checkOutput(parsed.heldOutOutput, parsed.isForced);
  return parsed;
}

void check(const Status &status) {
  if (!status.ok())
    throw UsageError(status.message());
}

/// The bytes of all texts as tokens. Errors: UsageError for a file that cannot be read or is empty.
std::vector<uint32_t> readTokens(const std::vector<std::string> &paths) {
  std::vector<uint32_t> tokens;
  for (const std::string &path : paths) {
    if (std::filesystem::is_regular_file(path) && std::filesystem::file_size(path) == 0)
      throw UsageError(fmt::format("{} is empty", path));
    Result<MappedFile> file = MappedFile::open(path);
    check(file.status());
    for (char byte : file->bytes())
      tokens.push_back(static_cast<unsigned char>(byte));
  }
  return tokens;
}

/// A complete but not yet finished file of `count` tokens.
TokenFileWriter write(const std::string &path, const uint32_t *tokens, size_t count) {
  Result<TokenFileWriter> writer = TokenFileWriter::create(path, kByteVocabulary, count);
  check(writer.status());
  check(writer->append(tokens, count));
  return std::move(*writer);
}
} // namespace

void trainc::runData(const std::vector<std::string> &arguments) {
  DataArguments parsed = parse(arguments);
  std::vector<uint32_t> tokens = readTokens(parsed.texts);
  size_t heldOut = static_cast<size_t>(parsed.heldOutFraction * static_cast<double>(tokens.size()));
  size_t kept = tokens.size() - heldOut;
  if (parsed.heldOutFraction > 0 && (heldOut == 0 || kept == 0))
    throw UsageError(
        fmt::format("a text of {} bytes is too short to hold out {}", tokens.size(), parsed.heldOutFraction));
  TokenFileWriter main = write(parsed.output, tokens.data(), kept);
  if (heldOut) {
    TokenFileWriter rest = write(parsed.heldOutOutput, tokens.data() + kept, heldOut);
    check(rest.finish());
  }
  check(main.finish());
  fmt::print("{}: {} tokens\n", parsed.output, kept);
  if (heldOut)
    fmt::print("{}: {} tokens\n", parsed.heldOutOutput, heldOut);
}
