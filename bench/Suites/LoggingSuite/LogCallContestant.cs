using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.LoggingSuite;

/// <summary>One thread logs at a low rate; what is recorded is the time that its call takes.</summary>
/// <remarks>The thread polls the clock between two entries: a thread that sleeps would be measured waking up.</remarks>
internal sealed class LogCallContestant(LogTarget target, TimeSpan interval) : ScenarioContestant(target.Name)
{
    private readonly LogFolder _folder = new();
    private LogSession? _session;

    public override int BusyThreads => 2;

    protected override void Prepare(long operations) => _session = target.Open(_folder.NewFile());

    protected override void Work(long operations, CancellationToken cancellation)
    {
        var latencies = new LatencyHistogram();
        LogSession session = _session!;
        long step = (long)(interval.TotalSeconds * Stopwatch.Frequency);
        double nanoseconds = 1e9 / Stopwatch.Frequency;
        long due = Stopwatch.GetTimestamp();
        for (int id = 0; id < operations; id++, due += step)
        {
            while (Stopwatch.GetTimestamp() < due) Thread.SpinWait(10);
            long begun = Stopwatch.GetTimestamp();
            session.Log(0, id);
            latencies.Record((long)((Stopwatch.GetTimestamp() - begun) * nanoseconds));
        }

        Latency = latencies;
    }

    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        _session!.Dispose();
        bool right = LogReading.IsRight(_folder.File, [(int)operations]);
        _folder.Delete();
        return right;
    }
}
