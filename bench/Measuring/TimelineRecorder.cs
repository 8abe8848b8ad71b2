using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Measuring;

/// <summary>Looks at a pipeline's stages again and again while it runs, on a thread of its own.</summary>
/// <remarks>
/// A look reads what stages count anyway, some microseconds; the thread sleeps in between. Where there is no processor to
/// spare looks come late: each sample says when it was taken.
/// </remarks>
public sealed class TimelineRecorder : IDisposable
{
    /// <summary>How often it looks unless said otherwise.</summary>
    public static readonly TimeSpan DefaultPeriod = TimeSpan.FromMilliseconds(20);

    private readonly StageTimelines _seen = new();
    private readonly Func<IReadOnlyList<StageStatistics>> _read;
    private readonly TimeSpan _period;
    private readonly long _started = Stopwatch.GetTimestamp();
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;
    private Exception? _failure;

    private TimelineRecorder(Func<IReadOnlyList<StageStatistics>> read, TimeSpan period)
    {
        (_read, _period) = (read, period);
        _seen.Add(TimeSpan.Zero, read());
        _thread = new Thread(Run) { IsBackground = true, Name = "timeline" };
        _thread.Start();
    }

    /// <summary>Begins to look.</summary>
    /// <param name="read">The stages' figures so far, such as <c>pipeline.GetStatistics</c>; called by the recorder's thread.</param>
    /// <param name="period">How often; null for <see cref="DefaultPeriod"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The period is below a millisecond.</exception>
    public static TimelineRecorder Start(Func<IReadOnlyList<StageStatistics>> read, TimeSpan? period = null)
    {
        ArgumentNullException.ThrowIfNull(read);
        TimeSpan every = period ?? DefaultPeriod;
        if (every < TimeSpan.FromMilliseconds(1))
        {
            throw new ArgumentOutOfRangeException(
                nameof(period), every, $"A timeline takes a sample each millisecond at most: period={every}. Use 10 ms or more.");
        }

        return new TimelineRecorder(read, every);
    }

    /// <summary>Looks a last time and no more. Idempotent.</summary>
    /// <exception cref="InvalidOperationException">The figures could not be read.</exception>
    public void Stop()
    {
        if (_stop.IsSet) return;
        _stop.Set();
        _thread.Join();
        if (_failure is not null) throw new InvalidOperationException("The stages' figures could not be read.", _failure);
        _seen.Add(Stopwatch.GetElapsedTime(_started), _read());
    }

    /// <summary>Stops, and gives what has been seen: a timeline a stage.</summary>
    /// <param name="caseName">The case.</param>
    /// <param name="contestant">The contestant that was measured.</param>
    /// <exception cref="InvalidOperationException">The figures could not be read.</exception>
    public IReadOnlyList<ResultTimeline> ToResult(string caseName, string contestant)
    {
        Stop();
        return _seen.ToResult(caseName, contestant);
    }

    /// <summary>Ends the thread, whatever has been seen.</summary>
    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
    }

    private void Run()
    {
        try
        {
            while (!_stop.Wait(_period)) _seen.Add(Stopwatch.GetElapsedTime(_started), _read());
        }
        catch (Exception failure)
        {
            // On a thread of its own it would end the process.
            _failure = failure;
        }
    }
}
