// The queue of jobs: order, priorities, cancelling, closing, and that no call waits for a job.
#include "job_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

namespace speech::js {
namespace {

using std::chrono_literals::operator""s;

/// What happened, in order; written by one thread at a time.
struct Diary {
  std::mutex mutex;
  std::vector<std::string> lines;

  void write(const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex);
    return lines;
  }
};

class NotedJob : public Job {
 public:
  NotedJob(Diary& diary, std::string name, std::shared_future<void> until = {})
      : diary_(diary), name_(std::move(name)), until_(std::move(until)) {}

  void run() noexcept override {
    started.set_value();
    if (until_.valid()) until_.wait();
    diary_.write(name_ + (is_cancelled() ? " was told to stop" : " ran"));
  }
  void skip(Skipped why) noexcept override {
    diary_.write(name_ + (why == Skipped::kCancelled ? " was cancelled" : " was released"));
  }

  std::promise<void> started;

 private:
  Diary& diary_;
  std::string name_;
  std::shared_future<void> until_;
};

class JobQueueTest : public testing::Test {
 protected:
  ~JobQueueTest() override { EXPECT_TRUE(workers_->wait(60s)); }

  /// A job that runs until go() is called, pushed and running.
  std::shared_ptr<NotedJob> hold(JobQueue& queue) {
    auto job = std::make_shared<NotedJob>(diary_, "holder", gate_.get_future().share());
    EXPECT_TRUE(queue.push(job, 0));
    job->started.get_future().wait();
    return job;
  }
  void go() { gate_.set_value(); }
  std::shared_ptr<NotedJob> job(const std::string& name) { return std::make_shared<NotedJob>(diary_, name); }

  /// What happened until all threads had ended.
  std::vector<std::string> ended() {
    EXPECT_TRUE(workers_->wait(60s));
    return diary_.all();
  }

  Diary diary_;
  std::promise<void> gate_;
  std::shared_ptr<WorkerGroup> workers_ = std::make_shared<WorkerGroup>();
};

using Lines = std::vector<std::string>;

/// Notes how many jobs the queue counts when it tells what came of it.
class CountingJob : public NotedJob {
 public:
  CountingJob(Diary& diary, const JobQueue& queue) : NotedJob(diary, "counting"), diary_(diary), queue_(queue) {}

  void settle() noexcept override {
    diary_.write(std::to_string(queue_.n_jobs()) + " left");
    settled.set_value();
  }
  void skip(Skipped why) noexcept override {
    NotedJob::skip(why);
    diary_.write(std::to_string(queue_.n_jobs()) + " left");
  }

  std::promise<void> settled;

 private:
  Diary& diary_;
  const JobQueue& queue_;
};

TEST_F(JobQueueTest, DoesNotCountAJobThatTellsWhatCameOfIt) {
  JobQueue queue(workers_, nullptr);
  hold(queue);
  const auto first = std::make_shared<CountingJob>(diary_, queue);
  const auto stopped = std::make_shared<CountingJob>(diary_, queue);
  const auto last = std::make_shared<CountingJob>(diary_, queue);
  stopped->cancel();
  for (const auto& counting : {first, stopped, last}) {
    ASSERT_TRUE(queue.push(counting, 0));
  }
  go();
  last->settled.get_future().wait();
  queue.close(nullptr);
  EXPECT_EQ(ended(), (Lines{"holder ran", "counting ran", "2 left", "counting was cancelled", "1 left", "counting ran",
                            "0 left"}));
}

TEST_F(JobQueueTest, RunsHigherPrioritiesFirstAndEqualOnesInTheirOrder) {
  {
    JobQueue queue(workers_, nullptr);
    hold(queue);
    queue.push(job("low"), 0);
    queue.push(job("normal"), 1);
    queue.push(job("high"), 2);
    queue.push(job("second"), 1);
    EXPECT_EQ(queue.n_jobs(), 5);
    go();
  }
  EXPECT_EQ(ended(), (Lines{"holder ran", "high ran", "normal ran", "second ran", "low ran"}));
}

TEST_F(JobQueueTest, CancelsTheJobThatWaitsAndNoOther) {
  JobQueue queue(workers_, nullptr);
  hold(queue);
  const auto waits = job("waits");
  queue.push(waits, 1);
  queue.push(job("other"), 1);
  queue.cancel(waits);
  queue.cancel(waits);
  EXPECT_EQ(diary_.all(), (Lines{"waits was cancelled"}));
  go();
  queue.close(nullptr);
  const Lines lines = ended();
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines.front(), "waits was cancelled");
}

TEST_F(JobQueueTest, TellsTheJobThatRunsToStop) {
  JobQueue queue(workers_, nullptr);
  const auto running = hold(queue);
  queue.cancel(running);
  go();
  queue.close(nullptr);
  EXPECT_EQ(ended(), (Lines{"holder was told to stop"}));
}

TEST_F(JobQueueTest, ClosingDropsWhatWaitsAndEndsBehindWhatRuns) {
  JobQueue queue(workers_, [this] { diary_.write("last"); });
  hold(queue);
  queue.push(job("waits"), 1);
  EXPECT_TRUE(queue.close([this] { diary_.write("then"); }));
  EXPECT_TRUE(queue.is_closed());
  EXPECT_FALSE(queue.close([this] { diary_.write("never"); }));
  EXPECT_FALSE(queue.push(job("late"), 1));
  EXPECT_EQ(diary_.all(), (Lines{"waits was released"}));
  go();
  EXPECT_EQ(ended(), (Lines{"waits was released", "holder ran", "last", "then"}));
  EXPECT_EQ(queue.n_jobs(), 0);
}

TEST_F(JobQueueTest, WorksOffWhatItHasWhenItsOwnerIsGone) {
  {
    JobQueue queue(workers_, [this] { diary_.write("last"); });
    hold(queue);
    queue.push(job("waits"), 1);
  }
  go();
  EXPECT_EQ(ended(), (Lines{"holder ran", "waits ran", "last"}));
}

TEST_F(JobQueueTest, AJobMayHoldTheLastReferenceToItsQueue) {
  auto queue = std::make_shared<JobQueue>(workers_, [this] { diary_.write("last"); });
  class Keeper : public NotedJob {
   public:
    Keeper(Diary& diary, std::shared_ptr<JobQueue> queue) : NotedJob(diary, "keeper"), queue_(std::move(queue)) {}

   private:
    std::shared_ptr<JobQueue> queue_;
  };
  queue->push(std::make_shared<Keeper>(diary_, queue), 0);
  queue.reset();
  EXPECT_EQ(ended(), (Lines{"keeper ran", "last"}));
}

TEST_F(JobQueueTest, ACancelledJobNeverRuns) {
  JobQueue queue(workers_, nullptr);
  const auto never = job("never");
  never->cancel();
  queue.push(never, 0);
  queue.close(nullptr);
  const Lines lines = ended();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines.front(), "never ran");
}

}  // namespace
}  // namespace speech::js
