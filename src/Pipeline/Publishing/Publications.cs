using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a caller wants to publish.</summary>
internal interface IPublication<T>
{
    /// <summary>Publishes it, or as much of it as there is room for: full, where something is left.</summary>
    ClaimStatus Try(Producer<T> producer);
}

/// <summary>An item, copied.</summary>
internal readonly struct Copying<T>(T item) : IPublication<T>
{
    public ClaimStatus Try(Producer<T> producer) => producer.TryPublish(item);
}

/// <summary>An item that a writer fills in.</summary>
internal readonly ref struct Writing<T, TState>(TState state, SlotWriter<T, TState> write) : IPublication<T>
    where TState : allows ref struct
{
    private readonly TState _state = state;

    public ClaimStatus Try(Producer<T> producer) => producer.TryPublish(_state, write);
}

/// <summary>An item with a payload.</summary>
internal readonly ref struct WritingPayload<T, TState>(ReadOnlySpan<byte> payload, TState state, SlotWriter<T, TState> write)
    : IPublication<T>
    where TState : allows ref struct
{
    private readonly ReadOnlySpan<byte> _payload = payload;
    private readonly TState _state = state;

    public ClaimStatus Try(Producer<T> producer) => producer.TryPublishPayload(_payload, _state, write);
}

/// <summary>Several items, in parts as there is room.</summary>
internal ref struct CopyingMany<T>(ReadOnlySpan<T> items) : IPublication<T>
{
    private ReadOnlySpan<T> _left = items;

    /// <summary>How many are not published yet.</summary>
    public readonly int Left => _left.Length;

    public ClaimStatus Try(Producer<T> producer) => producer.TryPublishSome(ref _left);
}

/// <summary>Nothing: whether there is room.</summary>
internal readonly struct Looking<T> : IPublication<T>
{
    public ClaimStatus Try(Producer<T> producer) =>
        producer.Ring.Control.IsClosed ? ClaimStatus.Stopped
        : producer.Claimer.HasRoom(1, out _, out _) ? ClaimStatus.Done : ClaimStatus.Full;
}
