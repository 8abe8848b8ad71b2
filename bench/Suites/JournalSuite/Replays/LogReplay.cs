using Raceway.Suites.Batching;
using Raceway.Suites.JournalSuite.Logs;

namespace Raceway.Suites.JournalSuite.Replays;

/// <summary>A peer's log, read from its beginning by the thread that asks.</summary>
internal sealed class LogReplay : IReplay
{
    private readonly DurableLog _log;

    public LogReplay(DurableLog log)
    {
        _log = log;
        var acknowledged = new Acknowledgements(ReplayContestant.Round, feed: null, latency: null);
        log.Begin(acknowledged);
        for (long index = 0; index < ReplayContestant.Stored; index++) log.Give(new Job(index, 0));
        acknowledged.Wait(ReplayContestant.Stored);
    }

    public long Prepare(long items) => 0;

    public void Run(long items, ReplayState state) => _log.ReadBack(items, state.Take);

    public void End()
    {
    }

    public void Dispose() => _log.Dispose();
}
