using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Raceway.Metering;

/// <summary>One meter, and one set of instruments, for all objects of a kind: those tell of each object there is.</summary>
/// <remarks>
/// <para>
/// A meter for each object would be simpler, and loses figures. An exporter knows an instrument by its name, its unit and
/// its meter's name, so it takes those of two objects for the same one: OpenTelemetry drops it for good when the first of
/// the meters is disposed of (<c>ExportTests</c>).
/// </para>
/// <para><b>Threads</b>: any. The first caller publishes the instruments; listeners are told on its thread.</para>
/// <para><b>Life</b>: the instruments stay as long as their meter, that of the process or of a factory.</para>
/// </remarks>
/// <typeparam name="TInstruments">The set of instruments, which knows the objects.</typeparam>
/// <param name="name">The meter's.</param>
/// <param name="publish">Publishes a set of instruments of a meter.</param>
internal sealed class SharedMeter<TInstruments>(string name, Func<Meter, TInstruments> publish)
    where TInstruments : class
{
    private readonly ConditionalWeakTable<Meter, TInstruments> _ofMeters = [];
    private readonly Lazy<Meter> _ofProcess = new(() => new Meter(OptionsOf(name)));

    /// <summary>The instruments of a factory's meter; those of the process where there is no factory.</summary>
    /// <remarks>A factory that answers equal options by the same meter, as the platform's does, has one set as well.</remarks>
    public TInstruments Of(IMeterFactory? factory)
    {
        Meter meter = factory?.Create(OptionsOf(name)) ?? _ofProcess.Value;
        lock (_ofMeters)
        {
            if (_ofMeters.TryGetValue(meter, out TInstruments? known)) return known;
            TInstruments published = publish(meter);
            // While it was told of them, a listener may have asked for them itself: then its set is here already.
            return _ofMeters.TryAdd(meter, published) ? published : _ofMeters.GetValue(meter, _ => published);
        }
    }

    private static MeterOptions OptionsOf(string name) =>
        new(name) { Version = typeof(TInstruments).Assembly.GetName().Version?.ToString(3) };
}
