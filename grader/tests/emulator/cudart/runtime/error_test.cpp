#include "cudart/runtime/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>

using namespace warpgrade::cudart;

TEST_CASE("names and texts") {
  CHECK(std::string(error_name(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(error_text(cudaSuccess)) == "no error");
  CHECK(std::string(error_name(cudaErrorIllegalAddress)) == "cudaErrorIllegalAddress");
  CHECK(std::string(error_text(cudaErrorIllegalAddress)) == "an illegal memory access was encountered");
  CHECK(std::string(error_text(cudaErrorTextureNotBound)) == "texture not bound");
  CHECK(std::string(error_name(static_cast<cudaError_t>(12345))) == "unrecognized error code");
  CHECK(std::string(error_text(static_cast<cudaError_t>(12345))) == "unrecognized error code");
}

TEST_CASE("errors that end the context") {
  CHECK(is_sticky(cudaErrorIllegalAddress));
  CHECK(is_sticky(cudaErrorMisalignedAddress));
  CHECK(is_sticky(cudaErrorLaunchFailure));
  CHECK(is_sticky(cudaErrorLaunchTimeout));
  CHECK(is_sticky(cudaErrorAssert));
  CHECK_FALSE(is_sticky(cudaSuccess));
  CHECK_FALSE(is_sticky(cudaErrorInvalidValue));
  CHECK_FALSE(is_sticky(cudaErrorInvalidConfiguration));
  CHECK_FALSE(is_sticky(cudaErrorMemoryAllocation));
}

TEST_CASE("each thread has its own last error") {
  set_last_error(cudaErrorInvalidValue);
  std::thread([] {
    CHECK(last_error() == cudaSuccess);
    set_last_error(cudaErrorInvalidDevice);
  }).join();
  CHECK(last_error() == cudaErrorInvalidValue);
  set_last_error(cudaSuccess);
}
