using System.Threading.Channels;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>A serial executor as most would write it: a channel, one reading task, a completion source for each call.</summary>
internal sealed class ChannelStream<T> : SingleCalls<T>
    where T : struct, IMessage<T>
{
    private static readonly Func<T, long> s_handler = static message => T.Handle(in message);

    private readonly Channel<(T Message, Func<T, long> Handler, TaskCompletionSource<long> Call)> _calls =
        Channel.CreateUnbounded<(T, Func<T, long>, TaskCompletionSource<long>)>();

    private readonly Task _worker;

    public ChannelStream() => _worker = Task.Run(WorkAsync);

    public override ValueTask<long> ExecuteAsync(in T message)
    {
        var call = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        _calls.Writer.TryWrite((message, s_handler, call));
        return new ValueTask<long>(call.Task);
    }

    public override async ValueTask DisposeAsync()
    {
        _calls.Writer.Complete();
        await _worker;
    }

    private async Task WorkAsync()
    {
        await foreach ((T message, Func<T, long> handler, TaskCompletionSource<long> call) in _calls.Reader.ReadAllAsync())
        {
            try
            {
                call.SetResult(handler(message));
            }
            catch (Exception fault)
            {
                call.SetException(fault);
            }
        }
    }
}
