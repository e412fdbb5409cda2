#include "device/kept_addresses.hpp"

#include <doctest/doctest.h>

#include "device/device_array.hpp"
#include "tests/harness/fake_cudart/fake_cudart.hpp"
#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

TEST_CASE("an array of the same name and size gets the address of the one before") {
  const Dataset data = sample_data(3, 4, 5), larger = sample_data(6, 4, 5);
  {
    const KeptAddresses addresses;
    const auto place = [](const Dataset& of, const char* name) { return DeviceArray(of, name).data(); };
    void* first = place(data, "A");
    CHECK(place(data, "B") != first);
    CHECK(place(larger, "A") != first);
    CHECK(place(data, "A") == first);
    const DeviceArray held(data, "A");
    CHECK(held.data() == first);
    CHECK(place(data, "A") != first);  // it is in use
  }
  CHECK(fake_cudart::allocations() == 0);
}

TEST_CASE("without an object of the class memory is freed at once") {
  const Dataset data = sample_data(3, 4, 5);
  { const DeviceArray A(data, "A"); }
  CHECK(fake_cudart::allocations() == 0);
}
