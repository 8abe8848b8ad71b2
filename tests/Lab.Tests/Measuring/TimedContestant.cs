using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>A contestant whose runs take a given time on a clock that stands still otherwise.</summary>
/// <param name="name">Its name.</param>
/// <param name="clock">The clock.</param>
/// <param name="takes">How long a run takes, by its number and its operations.</param>
internal sealed class TimedContestant(string name, FakeClock clock, Func<int, long, TimeSpan> takes) : IContestant
{
    private int _runs;

    public string Name => name;

    public int BusyThreads => 1;

    public long MaxOperations { get; init; } = long.MaxValue;

    /// <summary>Its input: it does whole passes of so many operations, like the main job.</summary>
    public long Pass { get; init; } = 1;

    /// <summary>The first run that never returns; it does not listen either.</summary>
    public int? NeverReturns { get; init; }

    /// <summary>Lets the runs that never return go, at the end of a test.</summary>
    public CancellationToken Released { get; init; }

    public int Runs => _runs;

    public Sample Run(long operations, CancellationToken cancellation)
    {
        int run = ++_runs;
        if (run >= NeverReturns) Hang(cancellation);
        long done = Pass * Math.Max(1, operations / Pass);
        TimeSpan time = takes(run, done);
        // In steps, as a run that listens would: it is cancelled within one of them.
        TimeSpan step = TimeSpan.FromTicks(Math.Max(1, time.Ticks / 100));
        for (TimeSpan spent = TimeSpan.Zero; spent < time; spent += step)
        {
            // At its limit it is going to be cancelled, from another thread.
            if (clock.Advance(step)) cancellation.WaitHandle.WaitOne();
            cancellation.ThrowIfCancellationRequested();
        }

        return new Sample(done, time.TotalSeconds, Verified: true);
    }

    // Until its limit, and then until its grace is over: it does not listen to what it is asked.
    private void Hang(CancellationToken cancellation)
    {
        clock.AdvanceToTimer();
        cancellation.WaitHandle.WaitOne();
        clock.AdvanceToTimer();
        Released.WaitHandle.WaitOne();
    }
}
