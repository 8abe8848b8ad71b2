using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>What a contestant's producer publishes in one round: as fast as it is taken, or at a given rate.</summary>
/// <remarks>
/// <para>With a rate it is an open loop: line <c>i</c> is due at <c>i / rate</c> whether or not the pipeline has kept up,
/// and latency counts from there, so a stall is charged to every line that it delays.</para>
/// <para>Every 64th line carries the time at which it was due. A run begins at such a line or ends before the next.</para>
/// </remarks>
public sealed class LineFeed
{
    /// <summary>One line in this many is stamped in a paced round.</summary>
    public const int SampleEvery = 64;

    private static readonly bool s_isAlone = Environment.ProcessorCount == 1;

    private readonly LoadedInput _input;
    private readonly long _total;
    private readonly double _ticksPerLine;
    private readonly CancellationToken _cancellation;
    private long _next;
    private int _position;
    private long _due;
    private long _started;

    /// <summary>Creates the feed of one round.</summary>
    /// <param name="input">The lines; published again from the beginning when all are through.</param>
    /// <param name="lines">Lines to publish.</param>
    /// <param name="ratePerSecond">Lines a second; without it as fast as they are taken.</param>
    /// <param name="cancellation">Ends the feed early.</param>
    /// <param name="from">Where in the passes over the input it begins.</param>
    public LineFeed(LoadedInput input, long lines, double? ratePerSecond, CancellationToken cancellation, long from = 0)
    {
        _input = input;
        _position = (int)(from % input.Lines.Length);
        _total = lines;
        _ticksPerLine = ratePerSecond is { } rate ? Stopwatch.Frequency / rate : 0;
        _due = ratePerSecond is null ? lines : 0;
        _cancellation = cancellation;
    }

    /// <summary>What the process had used at the start.</summary>
    internal Usage Usage { get; private set; }

    /// <summary>Starts the clock: call it on the producer's thread, when everything stands ready for the first line.</summary>
    /// <param name="place">Where the thread is to run at first; null: where it is.</param>
    public void Start(int? place = 0)
    {
        Placement.StartApart(place);
        Usage = Usage.Start();
        _started = Stopwatch.GetTimestamp();
    }

    /// <summary>The next lines that are due, waiting for one where none is.</summary>
    /// <param name="max">The most that the caller takes at once.</param>
    /// <param name="intended">When the first of them was due, for its <see cref="Line.Intended"/>; 0 for no stamp.</param>
    /// <returns>At least one line; none when all are published or the round was cancelled.</returns>
    public ReadOnlyMemory<Line> Next(int max, out long intended)
    {
        ReadOnlyMemory<Line> lines;
        while ((lines = TryNext(max, out intended)).IsEmpty && _next < _total && !_cancellation.IsCancellationRequested)
        {
            // An open loop is a clock, so it is polled like one: a sleeping generator would be late itself. Where there is one
            // processor, polling it would keep the contestant from running until the system takes the processor away.
            if (s_isAlone) Thread.Yield();
            else Thread.SpinWait(1);
        }

        return lines;
    }

    /// <summary>The next lines that are due already, without waiting; none where that is all for now.</summary>
    /// <inheritdoc cref="Next"/>
    public ReadOnlyMemory<Line> TryNext(int max, out long intended)
    {
        intended = 0;
        if (_next == _due && !LetTimePass())
        {
            return default;
        }

        if (_cancellation.IsCancellationRequested)
        {
            return default;
        }

        int count = (int)Math.Min(Math.Min(max, _due - _next), _input.Lines.Length - _position);
        if (_ticksPerLine > 0)
        {
            int intoSample = (int)(_next % SampleEvery);
            count = Math.Min(count, SampleEvery - intoSample);
            intended = intoSample == 0 ? DueAt(_next) : 0;
        }

        ReadOnlyMemory<Line> run = _input.Memory.Slice(_position, count);
        _next += count;
        _position = _position + count == _input.Lines.Length ? 0 : _position + count;
        return run;
    }

    private long DueAt(long line) => _started + (long)(line * _ticksPerLine);

    /// <summary>Reads the clock and says whether it made another line due.</summary>
    private bool LetTimePass()
    {
        if (_next == _total)
        {
            return false;
        }

        long elapsed = Stopwatch.GetTimestamp() - _started;
        _due = Math.Min(_total, 1 + (long)(elapsed / _ticksPerLine));
        return _next < _due;
    }
}
