using System.Diagnostics.Metrics;

namespace Raceway.Interop.Journal;

/// <summary>A journal's figures as instruments of <see cref="System.Diagnostics.Metrics"/>, until it is disposed.</summary>
/// <remarks><b>Threads</b>: every member by any thread. <b>Cost</b>: a look at the clock per sync; nothing per item.</remarks>
/// <example>
/// <code>
/// using JournalMeter meter = journal.CreateMeter("orders");
/// </code>
/// </example>
public sealed class JournalMeter : IDisposable
{
    /// <summary>The name of every such meter: what a listener or an exporter asks for.</summary>
    public const string MeterName = "Raceway.Journal";

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?> _name;
    private readonly Histogram<double> _syncs;
    private readonly Histogram<long> _groups;
    private readonly Counter<long> _bytes;

    internal JournalMeter(string name, Func<long> lag, IMeterFactory? factory)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        _name = new("raceway.journal.name", name);
        var options = new MeterOptions(MeterName) { Version = typeof(JournalMeter).Assembly.GetName().Version?.ToString(3) };
        _meter = factory?.Create(options) ?? new Meter(options);
        _syncs = _meter.CreateHistogram<double>("raceway.journal.sync.time", "s", "How long a sync took.");
        _groups = _meter.CreateHistogram<long>("raceway.journal.group.size", "{item}", "Items written at once.");
        _bytes = _meter.CreateCounter<long>("raceway.journal.bytes", "By", "Bytes written.");
        _meter.CreateObservableUpDownCounter(
            "raceway.journal.lag", () => new Measurement<long>(lag(), _name), "{item}", "Items written that are not durable yet.");
    }

    /// <summary>Takes the instruments back. Idempotent.</summary>
    public void Dispose() => _meter.Dispose();

    internal void Synced(TimeSpan took) => _syncs.Record(took.TotalSeconds, _name);

    internal void Wrote(int items, int bytes)
    {
        _groups.Record(items, _name);
        _bytes.Add(bytes, _name);
    }
}
