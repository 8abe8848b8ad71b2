using System.Buffers;

namespace Raceway.Proof.Tests.BadInput;

/// <summary>What is given for a parameter: by its type, the values at the edges, wrong ones among them.</summary>
internal static partial class Values
{
    /// <summary>The first is a good one, for when another parameter is the wrong one.</summary>
    public static object?[] Of(Type type, World world)
    {
        if (Nullable.GetUnderlyingType(type) is { } inner) return [null, .. Of(inner, world)];
        if (type.IsEnum)
            return [.. Enum.GetValues(type).Cast<object>(), Enum.ToObject(type, -1), Enum.ToObject(type, 99)];
        return type switch
        {
            _ when type == typeof(int) => [2, int.MinValue, -1, 0, 1, 3, 5, 9, 100, int.MaxValue],
            _ when type == typeof(long) => [0L, long.MinValue, -1L, 1L, long.MaxValue],
            _ when type == typeof(bool) => [false, true],
            _ when type == typeof(double) =>
            [
                0.5, double.NaN, double.NegativeInfinity, -1.0, 0.0, double.Epsilon, 1.0, 64.5, double.MaxValue, double.PositiveInfinity,
            ],
            _ when type == typeof(TimeSpan) =>
            [
                TimeSpan.FromMilliseconds(1), TimeSpan.MinValue, TimeSpan.FromTicks(-1), Timeout.InfiniteTimeSpan,
                TimeSpan.Zero, TimeSpan.FromTicks(1), TimeSpan.FromDays(106_751), TimeSpan.MaxValue,
            ],
            _ when type == typeof(string) => ["good", null, "", " ", "stage", "a\nb\0c", new string('n', 10_000)],
            _ when type == typeof(CancellationToken) => [CancellationToken.None, new CancellationToken(true)],
            _ when type == typeof(Wait) => [.. Wait.All, null],
            _ when type == typeof(Dispatch) => [Dispatch.Single, Dispatch.Batch(8, min: 4), Dispatch.Batch(8, min: 5), null],
            _ when type == typeof(FaultPolicy) =>
            [
                FaultPolicy.Stop, FaultPolicy.Skip, FaultPolicy.Retry(1, TimeSpan.Zero),
                FaultPolicy.DeadLetter(static (ref string _, in FaultContext _) => { }),
                FaultPolicy.Decide(static (ref string _, in FaultContext _) => FaultAction.Stop), null,
            ],
            _ when type == typeof(Stage) => [world.Stage, World.Foreign, null],
            _ when type == typeof(IReadOnlyList<Stage>) =>
            [
                Array.Empty<Stage>(), new[] { world.Stage, world.Stage }, new[] { World.Foreign }, new Stage?[] { null }, null,
            ],
            _ when type == typeof(IEnumerable<Stage>) => [new[] { world.Stage }, Array.Empty<Stage>(), new Stage?[] { null }, null],
            _ when type == typeof(IReadOnlyList<int>) =>
                [new[] { 0 }, Array.Empty<int>(), new[] { -1 }, new[] { 1024 }, new[] { int.MaxValue, 0 }, new[] { 0, 0 }, null],
            _ when type == typeof(IReadOnlyList<string>) =>
                [new[] { "stage" }, Array.Empty<string>(), new[] { "nobody" }, new[] { "good" }, new string?[] { null }, null],
            _ when type == typeof(IBatchHandler<long>) => [new Recorder.Silent(), null],
            _ when type == typeof(IEventHandler<long>) => [new EventLambda<long>(static (ref long _, long _, bool _) => { }), null],
            _ when type == typeof(IAsyncBatchHandler<long>) => [new AsyncLambda<long>(static (_, _) => ValueTask.CompletedTask), null],
            _ when type == typeof(IOutcomeHandler<long>) => [new OutcomeLambda<long>(static _ => BatchOutcome.Done), null],
            _ when type == typeof(IAsyncOutcomeHandler<long>) => [new AsyncOutcomeLambda<long>(static _ => new(BatchOutcome.Done)), null],
            _ when type == typeof(IStageHandler<long>) =>
            [
                new Recorder.Silent(), new EventLambda<long>(static (ref long _, long _, bool _) => { }),
                StageKind<long>.Batches(default(StructHandler)), default(StructHandler), null,
            ],
            _ when type == typeof(Weigher) => [null, Weigher.By(static (ref readonly long item) => item)],
            _ when type == typeof(ItemWeight<long>) => [new ItemWeight<long>(static (ref readonly long item) => item), null],
            _ when type == typeof(KeySelector<long, long>) => [new KeySelector<long, long>(static (ref readonly long item) => item), null],
            _ when type == typeof(DropAction<long>) => [null, new DropAction<long>(static (ref readonly long _) => { })],
            _ when type == typeof(DropAction<int>) => [null, new DropAction<int>(static (ref readonly int _) => { })],
            _ when type == typeof(Producer<long>) => [world.Producer, null],
            _ when type == typeof(RingBuffer<long>) => [world.Ring, null],
            _ when type == typeof(IMapHandler<long, string>) => [new NoMap(), null],
            _ when type == typeof(IExpandHandler<long, string>) => [new NoParts(), null],
            _ when type == typeof(SlotMap<long, string>) => [new SlotMap<long, string>(static (ref long _, ref string _) => { }), null],
            _ when type == typeof(SlotExpansion<long, string>) =>
                [new SlotExpansion<long, string>(static (ref long _, Emitter<string> _) => { }), null],
            _ when type == typeof(IReadOnlyList<PipelineBuilder<long, long>>) =>
            [
                new[] { world.Builder, Pipeline.Of<long>(8) }, new[] { world.Builder, world.Builder }, Array.Empty<PipelineBuilder<long, long>>(),
                new PipelineBuilder<long, long>?[] { null, null }, null,
            ],
            _ when type == typeof(Action<PipelineBuilder<long, long>>) =>
            [
                new Action<PipelineBuilder<long, long>>(static more => more.After().Stage("more", static (ref long _) => { })),
                new Action<PipelineBuilder<long, long>>(static _ => { }), null,
            ],
            _ when type == typeof(StageSite<long>) => [default(StageSite<long>)],
            _ when type == typeof(StructHandler) => [default(StructHandler)],
            _ when type == typeof(Ring) => [world.Ring, null],
            _ when type == typeof(Slots<long>) => [world.Ring.Slots, null],
            _ when type == typeof(Slots<string>) => [world.Ring.AddColumn<string>(), World.Foreign.Owner.AddColumn<string>(), null],
            _ when type == typeof(SlotAction<long>) => [new SlotAction<long>(static (ref long _) => { }), null],
            _ when type == typeof(SlotWriter<long, int>) => [new SlotWriter<long, int>(static (ref long _, int _) => { }), null],
            _ when type == typeof(DeadLetterAction<long>) => [new DeadLetterAction<long>(static (ref long _, in FaultContext _) => { }), null],
            _ when type == typeof(FaultDecider<long>) => [new FaultDecider<long>(static (ref long _, in FaultContext _) => FaultAction.Skip), null],
            _ when type == typeof(PayloadAccessor<long>) => [null],
            _ when type == typeof(PayloadAccessor<Parcel>) => [new PayloadAccessor<Parcel>(static (ref Parcel parcel) => ref parcel.Payload), null],
            _ when type == typeof(SlotAction<Parcel>) => [null],
            _ when type == typeof(Func<Parcel>) => [null],
            _ when type == typeof(Func<long>) => [null, new Func<long>(static () => 1)],
            _ when type == typeof(Func<string>) => [null, new Func<string>(static () => "")],
            _ when type == typeof(Func<RingBuffer<long>>) =>
            [
                new Func<RingBuffer<long>>(static () => Pipeline.Of<long>(8).Stage("stage", static (ref long _) => { }).Run(Plan.Pooled).Ring),
                new Func<RingBuffer<long>>(static () => null!), null,
            ],
            _ when type == typeof(Func<StageOptions, StageOptions>) =>
                [new Func<StageOptions, StageOptions>(static options => options), new Func<StageOptions, StageOptions>(static _ => null!), null],
            _ when type == typeof(Func<RingOptions<long>, RingOptions<long>>) =>
            [
                new Func<RingOptions<long>, RingOptions<long>>(static options => options),
                new Func<RingOptions<long>, RingOptions<long>>(static _ => null!), null,
            ],
            _ when type == typeof(RingOptions<long>) => [new RingOptions<long>(), null],
            _ when type == typeof(StageOptions) => [Make.Stepped(), null],
            _ when type == typeof(PayloadOptions) =>
            [
                new PayloadOptions(), new PayloadOptions { MaxLength = 0 }, new PayloadOptions { KeepLength = -1 },
                new PayloadOptions { Pool = null! }, null,
            ],
            _ when type == typeof(ArrayPool<byte>) => [ArrayPool<byte>.Shared, null],
            _ when type == typeof(ulong) => [1UL, 0UL, ulong.MaxValue],
            _ when type == typeof(Exception) => [new TimeoutException(), null],
            _ => OfPipelines(type, world) ?? throw new NotSupportedException($"No values for {type}: add them."),
        };
    }
}
