using System.Collections.Concurrent;
using System.Threading.Channels;
using System.Threading.Tasks.Sources;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>
/// The write-up's serial executor, rebuilt from its description: a channel, one reading task, pooled states, a new source of a
/// value task for each call, handlers that return value tasks, the state checked under a lock.
/// </summary>
internal sealed class WriteUpStream<T> : SingleCalls<T>
    where T : struct, IMessage<T>
{
    private static readonly Func<T, ValueTask<long>> s_handler = static message => new ValueTask<long>(T.Handle(in message));

    private readonly Channel<Item> _items = Channel.CreateUnbounded<Item>(new UnboundedChannelOptions { SingleReader = true });
    private readonly ConcurrentBag<State> _states = [];
    private readonly object _stateLock = new();
    private readonly Task _worker;
    private bool _running = true;

    public WriteUpStream() => _worker = Task.Run(WorkAsync);

    public override ValueTask<long> ExecuteAsync(in T message)
    {
        lock (_stateLock)
        {
            if (!_running) throw new InvalidOperationException("The executor is not running.");
        }

        var source = new Source();
        if (!_states.TryTake(out State? state)) state = new State();
        (state.Message, state.Handler, state.Source) = (message, s_handler, source);
        var item = new Item(state);
        return _items.Writer.TryWrite(item) ? source.Task : throw new InvalidOperationException("The channel is closed.");
    }

    public override async ValueTask DisposeAsync()
    {
        lock (_stateLock) _running = false;
        _items.Writer.Complete();
        await _worker;
    }

    private async Task WorkAsync()
    {
        await foreach (Item item in _items.Reader.ReadAllAsync())
        {
            State state = item.State;
            Source source = state.Source!;
            try
            {
                source.SetResult(await state.Handler!(state.Message));
            }
            catch (Exception fault)
            {
                source.SetException(fault);
            }

            (state.Handler, state.Source) = (null, null);
            _states.Add(state);
        }
    }

    private readonly record struct Item(State State);

    private sealed class State
    {
        public T Message;
        public Func<T, ValueTask<long>>? Handler;
        public Source? Source;
    }

    private sealed class Source : IValueTaskSource<long>
    {
        private ManualResetValueTaskSourceCore<long> _core = new() { RunContinuationsAsynchronously = true };

        public ValueTask<long> Task => new(this, _core.Version);

        public void SetResult(long result) => _core.SetResult(result);

        public void SetException(Exception fault) => _core.SetException(fault);

        public long GetResult(short token) => _core.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

        public void OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _core.OnCompleted(continuation, state, token, flags);
    }
}
