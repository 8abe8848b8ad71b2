namespace Raceway.Tests.Support;

/// <summary>Short ways to what most tests begin with.</summary>
internal static class Make
{
    /// <summary>A ring of longs whose disposal does not wait for what a test has left unhandled.</summary>
    /// <remarks>Sharded and nothing else said: one lane, which is as large as the ring.</remarks>
    public static RingBuffer<long> Ring(
        int capacity = 8, ProducerKind kind = ProducerKind.Single, Wait? wait = null, int? maxProducers = null,
        long start = 0, TimeProvider? time = null) =>
        new(capacity, new RingOptions<long>
        {
            Producers = kind,
            MaxProducers = Math.Min(maxProducers ?? (kind == ProducerKind.Sharded ? 1 : 2), capacity),
            Wait = wait ?? Wait.Default,
            ProducerWait = wait ?? Wait.Default,
            StartSequence = start,
            DrainTimeout = TimeSpan.Zero,
            Time = time ?? TimeProvider.System,
        });

    public static Producer<T> Producer<T>(RingBuffer<T> ring) =>
        ring.CreateAnyProducer();

    /// <summary>Options of a stage that the test itself steps.</summary>
    public static StageOptions Stepped(
        Dispatch? dispatch = null, FaultPolicy? onFault = null, IReadOnlyList<Stage>? after = null, string? name = null) =>
        new()
        {
            Drive = Drive.Caller,
            Dispatch = dispatch ?? Dispatch.Batch(),
            OnFault = onFault ?? FaultPolicy.Stop,
            After = after ?? [],
            Name = name,
        };

    public static StageOptions After(params Stage[] stages) => new() { After = stages };

    public static void PublishRange<T>(Producer<T> producer, long first, long last, Func<long, T> item)
    {
        for (long value = first; value <= last; value++) producer.Publish(item(value));
    }

    public static void PublishRange(Producer<long> producer, long first, long last) =>
        PublishRange(producer, first, last, value => value);

    public static long[] Range(long first, long last)
    {
        long[] values = new long[Math.Max(0, last - first + 1)];
        for (int i = 0; i < values.Length; i++) values[i] = first + i;
        return values;
    }

    /// <summary>Steps until there is nothing more to do; returns the number of items handled.</summary>
    public static int StepAll(Stage stage, int quantum = int.MaxValue)
    {
        int items = 0;
        while (true)
        {
            StepResult result = stage.Step(quantum);
            if (result.Kind != StepKind.Progressed) return items;
            items += result.Count;
        }
    }
}
