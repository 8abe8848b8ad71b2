using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Raceway.Lab.Watching;

/// <summary>The meters of this process, read when a frame is due.</summary>
internal sealed class LocalMeterFeed : IMeterFeed
{
    private readonly MeterListener _listener = new();
    private readonly List<MeterFigure> _figures = [];
    private readonly long _started = Stopwatch.GetTimestamp();
    private readonly TimeSpan _interval;
    private readonly Task _job;
    private long _frames;

    /// <summary>Begins to listen.</summary>
    /// <param name="target">What runs here.</param>
    /// <param name="job">Ends when it does.</param>
    /// <param name="interval">How often a frame is due.</param>
    public LocalMeterFeed(string target, Task job, TimeSpan interval)
    {
        (Target, _job, _interval) = (target, job, interval);
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (WatchedInstruments.IsWatched(instrument.Meter.Name, instrument.Name)) listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.Start();
    }

    /// <inheritdoc/>
    public string Target { get; }

    /// <inheritdoc/>
    public string? Ending => _job.IsFaulted ? $"It has failed: {_job.Exception!.GetBaseException().Message}" : _job.IsCompleted ? "It has ended." : null;

    /// <inheritdoc/>
    public MeterFrame? Next(CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        TimeSpan wait = (_interval * _frames) - Stopwatch.GetElapsedTime(_started);
        // Where the machine was held up, what is missed is not made up for.
        if (wait < TimeSpan.Zero) wait = TimeSpan.Zero;
        else if (cancellation.WaitHandle.WaitOne(wait)) throw new OperationCanceledException(cancellation);
        if (Ending is not null) return null;
        _frames = (long)(Stopwatch.GetElapsedTime(_started) / _interval) + 1;
        _figures.Clear();
        _listener.RecordObservableInstruments();
        return new MeterFrame(Stopwatch.GetElapsedTime(_started), [.. _figures]);
    }

    /// <inheritdoc/>
    public void Dispose() => _listener.Dispose();

    // Called by RecordObservableInstruments, on its thread: no other instrument is watched.
    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var named = new Dictionary<string, string>();
        foreach ((string name, object? tag) in tags) named[name] = tag?.ToString() ?? "";
        _figures.Add(new MeterFigure(instrument.Name, named, value));
    }
}
