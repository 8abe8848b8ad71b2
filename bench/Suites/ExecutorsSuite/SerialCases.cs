using Raceway.Concurrency;
using Raceway.Measuring;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>The cases of the serial executor.</summary>
internal static class SerialCases
{
    public const string RoundTrip = "serial/round-trip";
    public const string Streams10 = "serial/10-streams";
    public const string Burst = "serial/burst-100";
    public const string Window = "serial/window-1024";
    public const string Many = "serial/100-in-one-call";
    public const string Baseline = "channel";
    public const string WriteUp = "write-up/serial";

    private static readonly SerialExecutorOptions s_default = new();
    private static readonly SerialExecutorOptions s_inline = new() { AllowSynchronousContinuations = true };
    private static readonly SerialExecutorOptions s_direct = new() { RunDirectlyWhenIdle = true };
    private static readonly SerialExecutorOptions s_bounded = new() { Capacity = 4_096 };

    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        Case(
            RoundTrip,
            "one caller awaits each call before the next; the write-up's own figure: 2,181 ns and 440 B a call (Apple M4, 10 cores)",
            Calling.RoundTrip, 1),
        Case(
            Streams10,
            "10 callers, each with an executor of its own; the write-up's own figure: 269 ns and 308 B a call over 10 cores",
            Calling.RoundTrip, 10),
        Case("serial/100-streams", "100 callers, each with an executor of its own", Calling.RoundTrip, 100) with { InQuick = false },
        Case("serial/1000-streams", "1,000 callers, each with an executor of its own", Calling.RoundTrip, 1_000),
        Case(
            Burst, "100 calls, then 100 awaits; the write-up's own figure: 1,206 ns and 322 B a call, awaited one by one",
            Calling.Burst, 1) with { InQuick = false },
        Case(Window, "one caller with up to 1,024 calls under way", Calling.Window, 1),
        Case(Many, "100 calls given at once and awaited once; the others make 100 calls", Calling.Many, 1),
        Sizes<Block8>("8"),
        Sizes<Block32>("32"),
        Sizes<Block72>("72") with { InQuick = true },
        Sizes<Block128>("128"),
        Sizes<Block256>("256"),
    ];

    private static SuiteCase Case(string name, string description, Calling calling, int streams) =>
        new(name, description, MetricKind.Overhead,
        [
            .. Ours(calling, streams),
            () => Make(Baseline, static () => new ChannelStream<Order>(), calling, streams),
            () => Make(WriteUp, static () => new WriteUpStream<Order>(), calling, streams),
        ])
        {
            Reference = Baseline,
        };

    private static IEnumerable<Func<IContestant>> Ours(Calling calling, int streams)
    {
        Func<IContestant> One(string name, SerialExecutorOptions options) =>
            () => Make($"raceway/{name}", () => new RacewayStream<Order>(options), calling, streams);

        yield return One("default", s_default);
        if (calling == Calling.Many) yield break;
        yield return One("inline", s_inline);
        yield return One("direct", s_direct);
        yield return One("bounded", s_bounded);
    }

    /// <summary>States of one size, by value and by reference, and in an object.</summary>
    private static SuiteCase Sizes<T>(string bytes)
        where T : struct, IMessage<T> =>
        new($"serial/state-{bytes}", $"window-1024 with states of {bytes} bytes; boxed: 8 bytes that refer to an object made for the call",
            MetricKind.Overhead,
            [
                () => Make("raceway/default", static () => new RacewayStream<T>(s_default), Calling.Window, 1),
                () => Make("raceway/by-reference", static () => new RacewayStreamByReference<T>(s_default), Calling.Window, 1),
                () => Make("raceway/boxed", static () => new RacewayStream<Boxed>(s_default), Calling.Window, 1),
                () => Make(Baseline, static () => new ChannelStream<T>(), Calling.Window, 1),
            ])
        {
            InQuick = false,
            Reference = "raceway/boxed",
        };

    private static ExecutorContestant<T> Make<T>(string name, Func<IStream<T>> create, Calling calling, int streams)
        where T : struct, IMessage<T> =>
        new(name, create, calling, streams);
}
