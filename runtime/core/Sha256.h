//===- Sha256.h - SHA-256 of bytes ------------------------------------------===//
//
// FIPS 180-4, in portable C++, so that compiler and runtime need no cryptography library to seal and check a bundle.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace trainc {

/// The SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256Hex(std::string_view bytes);

} // namespace trainc
