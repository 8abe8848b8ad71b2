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
    /// <summary>The meter's name: what a listener or an exporter asks for.</summary>
    public const string MeterName = "Raceway.Journal";

    private readonly JournalInstruments _instruments;
    private readonly KeyValuePair<string, object?> _name;
    private readonly Func<long> _lag;
    private volatile bool _isDisposed;

    internal JournalMeter(string name, Func<long> lag, IMeterFactory? factory)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        _name = new("raceway.journal.name", name);
        _lag = lag;
        _instruments = JournalInstruments.Of(factory);
        _instruments.Journals.Add(this);
    }

    /// <summary>Takes the journal's figures back: no listener is told of them any more. Idempotent. The instruments stay, for other journals.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _instruments.Journals.Remove(this);
    }

    internal Measurement<long> Lag() => new(_lag(), _name);

    internal void Synced(TimeSpan took)
    {
        if (!_isDisposed) _instruments.SyncTimes.Record(took.TotalSeconds, _name);
    }

    internal void Wrote(int items, int bytes)
    {
        if (_isDisposed) return;
        _instruments.Groups.Record(items, _name);
        _instruments.Bytes.Add(bytes, _name);
    }
}
