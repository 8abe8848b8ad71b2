using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// How a thread of the hand-written rings waits: polling at some distance, then giving way; batches may form.
/// </summary>
/// <remarks>
/// A consumer that polls the cursor takes its line away from the producer with every poll, and both then run at the
/// line's speed. So it polls about once a microsecond, and while batches are small it pauses after each, longer every
/// time. That is for throughput alone and would be wrong for latency, which another contestant is for.
/// </remarks>
internal struct Pacer
{
    private const long EnoughItems = 1024;
    private const double PatienceNanoseconds = 50_000;

    private readonly CancellationToken _cancellation;
    private readonly int _patience;
    private readonly int _spacing;
    private readonly int _longestPause;
    private int _idle;
    private int _pause;

    private Pacer(int busyThreads, double spacing, double longestPause, CancellationToken cancellation)
    {
        _cancellation = cancellation;
        _spacing = CpuPause.CountFor(spacing);
        _longestPause = CpuPause.CountFor(longestPause);
        _patience = CpuPause.CountFor(
            busyThreads > Environment.ProcessorCount ? PatienceNanoseconds / 50 : PatienceNanoseconds);
    }

    /// <summary>For a producer that waits for room: that is seldom, and the line it polls is seldom written.</summary>
    /// <param name="busyThreads">Threads at work; with more than the processors, polling is soon given up.</param>
    /// <param name="cancellation">Looked at when giving way.</param>
    public static Pacer OfProducer(int busyThreads, CancellationToken cancellation) =>
        new(busyThreads, spacing: 0, longestPause: 0, cancellation);

    /// <summary>For a consumer.</summary>
    /// <param name="busyThreads">Threads at work; with more than the processors, polling is soon given up.</param>
    /// <param name="longestPause">The longest pause after a batch, in nanoseconds.</param>
    /// <param name="cancellation">Looked at when giving way.</param>
    public static Pacer OfConsumer(int busyThreads, double longestPause, CancellationToken cancellation) =>
        new(busyThreads, spacing: 1_000, longestPause, cancellation);

    /// <summary>Waits for room in a full ring, and says up to which sequence there is some now.</summary>
    public long AwaitRoom(ref long consumed, long next, long capacity)
    {
        long limit;
        while ((limit = Volatile.Read(ref consumed) + capacity) <= next) Idle();
        Worked();
        return limit;
    }

    /// <summary>Waits a moment: nothing was there.</summary>
    public void Idle()
    {
        Wait(_spacing);
        _idle += _spacing;
        if (_idle < _patience) return;
        _cancellation.ThrowIfCancellationRequested();
        Thread.Yield();
    }

    /// <summary>
    /// Says that something was there, without letting batches form: for a thread that is not first in line.
    /// </summary>
    public void Worked() => _idle = 0;

    /// <summary>Says that a batch was handled, and pauses while batches are small.</summary>
    public void Worked(long batch)
    {
        _idle = 0;
        _pause = batch < EnoughItems ? Math.Min(Math.Max(1, _pause * 2), _longestPause) : _pause / 2;
        Wait(_pause);
    }

    private static void Wait(int pauses)
    {
        for (int i = 0; i < pauses; i++) CpuPause.Once();
    }
}
