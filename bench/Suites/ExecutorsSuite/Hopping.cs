using System.Threading.Tasks.Sources;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>A message with a handler that goes through the thread pool once, by a source that its caller uses again.</summary>
/// <remarks>So what is allocated is the executor's, not the handler's.</remarks>
public readonly struct Hopping : IMessage<Hopping>
{
    private readonly Ledger _ledger;
    private readonly long _number;

    private Hopping(Ledger ledger, long number) => (_ledger, _number) = (ledger, number);

    /// <inheritdoc/>
    public static Hopping Create(Ledger ledger, long number) => new(ledger, number);

    /// <inheritdoc/>
    public static long Handle(in Hopping message) => message._ledger.Add(message._number);

    /// <inheritdoc/>
    public static ValueTask<long> HandleAsync(in Hopping message) => message._ledger.Hop.Start(message);

    /// <inheritdoc/>
    public static long Expected(long count) => Order.Expected(count);

    /// <summary>The source of one caller, which has one call under way at a time.</summary>
    internal sealed class Hop : IValueTaskSource<long>, IThreadPoolWorkItem
    {
        private ManualResetValueTaskSourceCore<long> _core;
        private Hopping _message;

        public ValueTask<long> Start(Hopping message)
        {
            _core.Reset();
            _message = message;
            var task = new ValueTask<long>(this, _core.Version);
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            return task;
        }

        void IThreadPoolWorkItem.Execute() => _core.SetResult(Handle(in _message));

        public long GetResult(short token) => _core.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

        public void OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _core.OnCompleted(continuation, state, token, flags);
    }
}
