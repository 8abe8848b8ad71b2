namespace Raceway.Proof.Tests.BadInput;

/// <summary>The types of pipelines, mailboxes, executors, scopes and controllers.</summary>
internal static partial class Values
{
    private static readonly long[] s_items = [1, 2, 3];

    private static object?[]? OfPipelines(Type type, World world) => type switch
    {
        _ when type == typeof(Pipeline<long>) => [world.Pipeline, null],
        _ when type == typeof(ItemPredicate<long>) => [new ItemPredicate<long>(static (ref readonly long item) => item > 0), null],
        _ when type == typeof(ItemRoute<long>) => [new ItemRoute<long>(static (ref readonly long _) => 0), null],
        _ when type == typeof(Func<int, StructHandler>) => Factory(default(StructHandler)),
        _ when type == typeof(Func<int, IEventHandler<long>>) =>
            Factory<IEventHandler<long>>(new EventLambda<long>(static (ref long _, long _, bool _) => { }), null!),
        _ when type == typeof(Func<int, IStageHandler<long>>) => Factory<IStageHandler<long>>(new Recorder.Silent(), null!),
        _ when type == typeof(Func<int, IBatchHandler<long>>) => Factory<IBatchHandler<long>>(new Recorder.Silent(), null!),
        _ when type == typeof(Func<int, IAsyncBatchHandler<long>>) =>
            Factory<IAsyncBatchHandler<long>>(new AsyncLambda<long>(static (_, _) => ValueTask.CompletedTask), null!),
        _ when type == typeof(Func<int, IKeyHandler<long, long>>) => Factory<IKeyHandler<long, long>>(new NoKeys(), null!),
        _ when type == typeof(Func<int, IMapHandler<long, string>>) => Factory<IMapHandler<long, string>>(new NoMap(), null!),
        _ when type == typeof(BatchGoal) => [BatchGoal.Throughput, BatchGoal.Latency(TimeSpan.FromMilliseconds(1)), null],
        _ when type == typeof(BatchControllerOptions) =>
        [
            new BatchControllerOptions(), new BatchControllerOptions { Min = 0 }, new BatchControllerOptions { Min = 4, Max = 2 },
            new BatchControllerOptions { Period = TimeSpan.Zero }, null,
        ],
        _ when type == typeof(PipelineSnapshot) =>
            [null, world.Pipeline.TakeSnapshot(), world.Pipeline.TakeSnapshot() with { At = TimeSpan.MaxValue }],
        _ when type == typeof(PipelineSettings) =>
            [new PipelineSettings(), new PipelineSettings { Plan = Plan.Manual, Capacity = 3 }, new PipelineSettings { DispatchOf = null! }, null],
        _ when type == typeof(IReadOnlyDictionary<string, Dispatch>) =>
        [
            new Dictionary<string, Dispatch>(), new Dictionary<string, Dispatch> { ["stage"] = Dispatch.Single },
            new Dictionary<string, Dispatch> { ["nobody"] = Dispatch.Single }, null,
        ],
        _ when type == typeof(IReadOnlyList<BatchTime>) =>
        [
            new BatchTime[] { new(1, 1), new(4, 2), new(16, 4), new(64, 9) }, Array.Empty<BatchTime>(), new BatchTime[] { default },
            new BatchTime[] { new(1, double.NaN) }, new BatchTime[] { new(double.NaN, 1) }, new BatchTime[] { new(1, 1e-300), new(1e300, 1e300) }, null,
        ],
        _ when type == typeof(TimeProvider) => [TimeProvider.System, null],
        _ when type == typeof(System.Diagnostics.Metrics.IMeterFactory) => [null],
        _ => OfMailboxes(type) ?? OfTasks(type),
    };

    private static object?[]? OfMailboxes(Type type) => type switch
    {
        _ when type == typeof(MailboxOptions<long>) => [null, new MailboxOptions<long>(), new MailboxOptions<long> { MaxBatch = 0 }],
        _ when type == typeof(Action<long>) => [new Action<long>(static _ => { }), null],
        _ when type == typeof(StateAction<int, long>) => [new StateAction<int, long>(static (ref int _, long _) => { }), null],
        _ when type == typeof(Func<ReadOnlyMemory<long>, CancellationToken, ValueTask>) =>
            [new Func<ReadOnlyMemory<long>, CancellationToken, ValueTask>(static (_, _) => ValueTask.CompletedTask), null],
        // Answered at once: the message itself cannot carry it.
        _ when type == typeof(Func<Reply<long>, long>) => [new Func<Reply<long>, long>(static reply => Answered(reply)), null],
        _ when type == typeof(Func<long, Reply<long>, long>) =>
            [new Func<long, Reply<long>, long>(static (_, reply) => Answered(reply)), null],
        _ => null,
    };

    // Bodies end a loop that is long, so that a range from one end to the other is a case like any other.
    private static object?[]? OfTasks(Type type) => type switch
    {
        _ when type == typeof(SerialExecutorOptions) =>
            [new SerialExecutorOptions(), new SerialExecutorOptions { Capacity = 1 }, null],
        _ when type == typeof(IReadOnlyList<long>) || type == typeof(IEnumerable<long>) => [s_items, Array.Empty<long>(), null],
        _ when type == typeof(ReadOnlyMemory<long>) => [new ReadOnlyMemory<long>(s_items), default(ReadOnlyMemory<long>)],
        _ when type == typeof(IAsyncEnumerable<long>) => [s_items.ToAsyncEnumerable(), AsyncEnumerable.Empty<long>(), null],
        _ when type == typeof(Func<int, long>) => [new Func<int, long>(static state => state), null],
        _ when type == typeof(InFunc<int, long>) => [new InFunc<int, long>(static (in int state) => state), null],
        _ when type == typeof(Func<int, CancellationToken, long>) => [new Func<int, CancellationToken, long>(static (state, _) => state), null],
        _ when type == typeof(Func<int, CancellationToken, ValueTask<long>>) =>
            [new Func<int, CancellationToken, ValueTask<long>>(static (state, _) => new(state)), null],
        _ when type == typeof(Func<long, CancellationToken, ValueTask>) => [new Func<long, CancellationToken, ValueTask>(static (_, _) => default), null],
        _ when type == typeof(Func<long, int, CancellationToken, ValueTask>) =>
            [new Func<long, int, CancellationToken, ValueTask>(static (_, _, _) => default), null],
        _ when type == typeof(Func<int, CancellationToken, ValueTask>) => [new Func<int, CancellationToken, ValueTask>(static (i, _) => UpTo(i)), null],
        _ when type == typeof(Func<int, int, CancellationToken, ValueTask>) =>
            [new Func<int, int, CancellationToken, ValueTask>(static (i, _, _) => UpTo(i)), null],
        _ when type == typeof(Action<int, CancellationToken>) => [new Action<int, CancellationToken>(static (_, _) => { }), null],
        _ when type == typeof(Task) => [Task.CompletedTask, Task.FromException(new TimeoutException()), null],
        _ when type == typeof(Task<long>) => [Task.FromResult(1L), Task.FromException<long>(new TimeoutException()), null],
        _ when type == typeof(ValueTask) => [default(ValueTask), new ValueTask(Task.FromException(new TimeoutException()))],
        _ when type == typeof(ValueTask<long>) => [new ValueTask<long>(1), new ValueTask<long>(Task.FromException<long>(new TimeoutException()))],
        _ => null,
    };

    private static object?[] Factory<THandler>(params THandler[] handlers) =>
        [.. handlers.Select(handler => new Func<int, THandler>(_ => handler)), null];

    private static long Answered(Reply<long> reply) => reply.TrySet(1) ? 1 : 0;

    private static ValueTask UpTo(int i) =>
        i is < -1000 or > 1000 ? ValueTask.FromException(new OperationCanceledException()) : ValueTask.CompletedTask;
}
