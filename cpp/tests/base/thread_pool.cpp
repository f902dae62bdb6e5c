// Rules of the thread pool: each task once, indices in range, one job after the other, from the calling thread too.

#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace speech {
namespace {

TEST(ThreadPool, RunsEachTaskExactlyOnceAndReturnsWhenAllAreDone) {
  for (const int n_threads : {1, 2, 3, 8}) {
    ThreadPool pool(n_threads);
    for (const int n_tasks : {0, 1, 2, 7, 500}) {
      for (int repeat = 0; repeat < 20; ++repeat) {
        std::vector<int> times(static_cast<std::size_t>(n_tasks));  // plain ints: run() must order the tasks' writes
        pool.run(n_tasks, [&](int task, int) { ++times[static_cast<std::size_t>(task)]; });
        for (const int count : times) {
          ASSERT_EQ(count, 1);
        }
      }
    }
  }
}

// A worker that comes late to a small job must not take the larger count of the next one for that job's.
TEST(ThreadPool, AJobOfAnotherSizeNeverLeaksIntoTheOneBefore) {
  ThreadPool pool(4);
  std::vector<int> times(64);
  for (int repeat = 0; repeat < 100000; ++repeat) {
    const std::size_t n_tasks = repeat % 2 == 0 ? 2 : 64;
    pool.run(static_cast<int>(n_tasks), [&](int task, int) { times[static_cast<std::size_t>(task)] += 1; });
    for (std::size_t i = 0; i < n_tasks; ++i) {
      ASSERT_EQ(times[i], 1) << "task " << i << " of job " << repeat;
      times[i] = 0;
    }
  }
}

// A worker that comes late from one job must not take a task of the next one's count: jobs of other sizes follow each
// other without a pause, as the operations of a decoding step do.
TEST(ThreadPool, JobsDirectlyBehindOneAnotherEachRunTheirOwnTasksOnly) {
  ThreadPool pool(3);
  for (int job = 0; job < 20000; ++job) {
    const int n_tasks = 2 + job * 7 % 61;
    std::array<std::atomic<int>, 64> times = {};
    pool.run(n_tasks, [&](int task, int) { times[static_cast<std::size_t>(task)].fetch_add(1); });
    for (int task = 0; task < 64; ++task) {
      ASSERT_EQ(times[static_cast<std::size_t>(task)], task < n_tasks ? 1 : 0) << "job " << job << ", task " << task;
    }
  }
}

TEST(ThreadPool, ThreadIndicesAreInRangeAndBelongToOneThreadAtATime) {
  ThreadPool pool(4);
  std::array<std::atomic<int>, 4> inside = {};
  std::atomic<bool> in_range = true;
  std::atomic<bool> alone = true;
  std::mutex mutex;
  std::array<std::set<std::thread::id>, 4> ids;
  for (int repeat = 0; repeat < 50; ++repeat) {
    pool.run(64, [&](int, int thread) {
      if (thread < 0 || thread >= 4) {
        in_range = false;
        return;
      }
      auto& users = inside[static_cast<std::size_t>(thread)];
      alone = alone && users.fetch_add(1) == 0;
      {
        const std::lock_guard lock(mutex);
        ids[static_cast<std::size_t>(thread)].insert(std::this_thread::get_id());
      }
      users.fetch_sub(1);
    });
  }
  EXPECT_TRUE(in_range);
  EXPECT_TRUE(alone);
  for (const auto& of_index : ids) {
    EXPECT_LE(of_index.size(), 1U);
  }
  EXPECT_TRUE(ids[0].empty() || *ids[0].begin() == std::this_thread::get_id());
}

TEST(ThreadPool, OneThreadMeansTheCallerOnly) {
  ThreadPool pool(1);
  pool.run(10, [&](int, int thread) { EXPECT_EQ(thread, 0); });
}

TEST(ThreadPool, CountsAreClamped) {
  EXPECT_EQ(ThreadPool(-3).n_threads(), 1);
  EXPECT_EQ(ThreadPool(0).n_threads(), 1);
  EXPECT_EQ(ThreadPool(64).n_threads(), 64);
  EXPECT_EQ(ThreadPool(1000000).n_threads(), ThreadPool::kMaxThreads);
}

TEST(ThreadPool, FewerThreadsAreUsedAfterTheCountIsLowered) {
  ThreadPool pool(4);
  std::atomic<int> highest = 0;
  const auto job = [&](int, int thread) {
    int seen = highest;
    while (thread > seen && !highest.compare_exchange_weak(seen, thread)) {
    }
  };
  pool.run(200, job);
  pool.set_n_threads(2);
  highest = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    pool.run(200, job);
  }
  EXPECT_LE(highest, 1);
}

TEST(ThreadPool, WorksAfterItsThreadsHaveGoneToSleep) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::atomic<int> done = 0;
    pool.run(30, [&](int, int) { ++done; });
    EXPECT_EQ(done, 30);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(ThreadPool, WaitsForATaskThatIsSlowerThanItsOwn) {
  ThreadPool pool(2);
  std::atomic<int> done = 0;
  pool.run(2, [&](int, int thread) {
    if (thread != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ++done;
  });
  EXPECT_EQ(done, 2);
}

TEST(ThreadPool, IsDestroyedWhileItsThreadsWait) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    ThreadPool pool(3);
    if (repeat % 2 == 0) {
      pool.run(5, [](int, int) {});
    }
  }
}

}  // namespace
}  // namespace speech
