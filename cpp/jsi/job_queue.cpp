// Implements job_queue.h.
#include "job_queue.h"

#include <map>
#include <thread>
#include <utility>

namespace speech::js {

bool WorkerGroup::wait(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return n_workers_ == 0; });
}

struct JobQueue::State {
  // Higher priorities first, then the order of the calls.
  using Place = std::pair<int, std::uint64_t>;

  std::shared_ptr<WorkerGroup> group;
  std::function<void()> last;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<Place, std::shared_ptr<Job>> waiting;
  std::uint64_t n_pushed = 0;
  bool running = false;
  bool closed = false;
  std::function<void()> then;
};

JobQueue::JobQueue(std::shared_ptr<WorkerGroup> group, std::function<void()> last) : state_(std::make_shared<State>()) {
  state_->group = std::move(group);
  state_->last = std::move(last);
  {
    const std::lock_guard lock(state_->group->mutex_);
    ++state_->group->n_workers_;
  }
  try {
    std::thread([state = state_]() mutable {
      const std::shared_ptr<WorkerGroup> workers = state->group;
      work(state);
      state.reset();
      const std::lock_guard lock(workers->mutex_);
      --workers->n_workers_;
      workers->changed_.notify_all();
    }).detach();
  } catch (...) {
    const std::lock_guard lock(state_->group->mutex_);
    --state_->group->n_workers_;
    throw;
  }
}

JobQueue::~JobQueue() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
}

void JobQueue::work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return !state->waiting.empty() || state->closed; });
    if (state->waiting.empty()) break;
    std::shared_ptr<Job> job = std::move(state->waiting.begin()->second);
    state->waiting.erase(state->waiting.begin());
    const bool runs = !job->is_cancelled();
    state->running = runs;
    lock.unlock();
    if (runs) {
      job->run();
      lock.lock();
      state->running = false;
      lock.unlock();
      job->settle();
    } else {
      job->skip(Skipped::kCancelled);
    }
    job.reset();
    lock.lock();
  }
  // What they hold is let go here, not where the last owner of the state happens to be.
  const auto last = std::exchange(state->last, nullptr);
  const auto then = std::exchange(state->then, nullptr);
  lock.unlock();
  if (last) last();
  if (then) then();
}

bool JobQueue::push(std::shared_ptr<Job> job, int priority) {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed) return false;
  state_->waiting.emplace(State::Place{-priority, state_->n_pushed++}, std::move(job));
  state_->changed.notify_all();
  return true;
}

void JobQueue::cancel(const std::shared_ptr<Job>& job) {
  job->cancel();
  {
    const std::lock_guard lock(state_->mutex);
    auto& waiting = state_->waiting;
    auto place = waiting.begin();
    while (place != waiting.end() && place->second != job) ++place;
    if (place == waiting.end()) return;
    waiting.erase(place);
  }
  job->skip(Skipped::kCancelled);
}

bool JobQueue::close(std::function<void()> then) {
  std::map<State::Place, std::shared_ptr<Job>> dropped;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed) return false;
    state_->closed = true;
    state_->then = std::move(then);
    dropped.swap(state_->waiting);
    state_->changed.notify_all();
  }
  for (const auto& [place, job] : dropped) job->skip(Skipped::kReleased);
  return true;
}

bool JobQueue::is_closed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->closed;
}

int JobQueue::n_jobs() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->waiting.size()) + (state_->running ? 1 : 0);
}

}  // namespace speech::js
