using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>Publishes into a hosted pipeline from any thread: requests, timers, whoever has no handle of their own.</summary>
/// <remarks>
/// <para>It lends out a few producers of the pipeline, each to one call at a time: half of those that a multi-producer pipeline
/// may have, one of any other. Where one thread publishes much, let it have a producer of its own instead.</para>
/// <para><b>Threads</b>: every member by any thread.</para>
/// <para><b>Blocking</b>: waits while all of them are lent, and for room; the async calls hold no thread meanwhile.</para>
/// <para><b>Cost</b>: an uncontended semaphore and an exchange a call, more than a producer's own; allocates nothing unless it
/// waits until a producer comes back.</para>
/// <para><b>Order</b>: what one caller publishes, call after call, is handled in that order.</para>
/// <para><b>Errors</b>: those of <see cref="Producer{T}.Publish(in T)"/>. A handler of the pipeline that would have to wait for a
/// producer, or for room, gets <see cref="ReentrantPublishException"/>.</para>
/// </remarks>
/// <typeparam name="T">What is published.</typeparam>
public sealed class PipelinePublisher<T>
{
    private readonly Lazy<Producers> _producers;

    // Late: a handler of the pipeline may ask for one, while the pipeline is being defined.
    internal PipelinePublisher(HostedPipeline<T> pipeline) => _producers = new(() => new Producers(pipeline));

    /// <summary>Copies <paramref name="item"/> into the next slot, waiting for room.</summary>
    /// <inheritdoc cref="Producer{T}.Publish(in T)" path="/exception"/>
    public void Publish(in T item) => Publish(item, Copy);

    /// <summary>Fills the next slot by <paramref name="write"/>, waiting for room. If it throws, nothing is published.</summary>
    /// <inheritdoc cref="Producer{T}.Publish(in T)" path="/exception"/>
    public void Publish<TState>(TState state, SlotWriter<T, TState> write)
    {
        Producers producers = _producers.Value;
        producers.Enter();
        Producer<T> producer = producers.Take();
        try
        {
            producer.Publish(state, write);
        }
        finally
        {
            producers.Return(producer);
        }
    }

    /// <summary><see cref="Publish(in T)"/>, if a producer and room are there now.</summary>
    /// <returns>Done, full or stopped; full also where every producer is lent.</returns>
    public ClaimStatus TryPublish(in T item) => TryPublish(item, Copy);

    /// <summary><see cref="Publish{TState}(TState, SlotWriter{T, TState})"/>, if a producer and room are there now.</summary>
    /// <returns>Done, full or stopped; full also where every producer is lent.</returns>
    public ClaimStatus TryPublish<TState>(TState state, SlotWriter<T, TState> write)
    {
        Producers producers = _producers.Value;
        if (!producers.TryEnter()) return ClaimStatus.Full;
        Producer<T> producer = producers.Take();
        try
        {
            return producer.TryPublish(state, write);
        }
        finally
        {
            producers.Return(producer);
        }
    }

    /// <summary>Copies <paramref name="item"/> into the next slot, waiting for room without holding a thread.</summary>
    /// <param name="item">What to publish.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="Producer{T}.PublishAsync(T, CancellationToken)" path="/exception"/>
    public ValueTask PublishAsync(T item, CancellationToken cancellation = default) => PublishAsync(item, Copy, cancellation);

    /// <summary>Fills the next slot by <paramref name="write"/>, waiting for room without holding a thread.</summary>
    /// <param name="state">What <paramref name="write"/> is given.</param>
    /// <param name="write">Fills the slot. If it throws, nothing is published.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="Producer{T}.PublishAsync(T, CancellationToken)" path="/exception"/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask PublishAsync<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation = default)
    {
        Producers producers = _producers.Value;
        await producers.EnterAsync(cancellation).ConfigureAwait(false);
        Producer<T> producer = producers.Take();
        try
        {
            await producer.PublishAsync(state, write, cancellation).ConfigureAwait(false);
        }
        finally
        {
            producers.Return(producer);
        }
    }

    private static void Copy(ref T slot, T item) => slot = item;

    /// <summary>The producers, those that are lent taken out.</summary>
    private sealed class Producers
    {
        // Who has a producer may be waiting for room that only a handler makes: handlers wait for it for a while, not for ever.
        private static readonly TimeSpan s_patienceOfHandlers = TimeSpan.FromMilliseconds(100);

        private readonly Producer<T>?[] _idle;
        private readonly SemaphoreSlim _free;
        private readonly Ring _ring;

        public Producers(HostedPipeline<T> pipeline)
        {
            RingOptions options = pipeline.RingOptions;
            _ring = pipeline.Pipeline.Ring;
            _idle = options.Producers == ProducerKind.Multi
                ? [.. Enumerable.Range(0, (options.MaxProducers + 1) / 2).Select(_ => pipeline.Pipeline.CreateMultiProducer())]
                : [pipeline.Pipeline.CreateProducer()];
            _free = new SemaphoreSlim(_idle.Length);
        }

        /// <summary>Waits until one may be taken.</summary>
        /// <exception cref="ReentrantPublishException">A handler of the pipeline would wait for others who wait for it.</exception>
        public void Enter()
        {
            if (TryEnter()) return;
            if (!Reentrancy.IsHandlerOf(_ring.Family)) _free.Wait();
            else if (!_free.Wait(s_patienceOfHandlers)) throw Throw.Reentrant();
        }

        public Task EnterAsync(CancellationToken cancellation) =>
            Reentrancy.IsHandlerOf(_ring.Family) ? EnterInHandlerAsync(cancellation) : _free.WaitAsync(cancellation);

        public bool TryEnter() => _free.Wait(0, CancellationToken.None);

        // The first ones are used over and over: the others stay without room set aside for them.
        public Producer<T> Take()
        {
            for (int i = 0; ; i = (i + 1) % _idle.Length)
                if (Interlocked.Exchange(ref _idle[i], null) is { } producer) return producer;
        }

        public void Return(Producer<T> producer)
        {
            for (int i = 0; Interlocked.CompareExchange(ref _idle[i], producer, null) is not null; i = (i + 1) % _idle.Length)
            {
            }

            _free.Release();
        }

        private async Task EnterInHandlerAsync(CancellationToken cancellation)
        {
            if (!await _free.WaitAsync(s_patienceOfHandlers, cancellation).ConfigureAwait(false)) throw Throw.Reentrant();
        }
    }
}
