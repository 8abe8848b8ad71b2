namespace Raceway.Rings;

/// <summary>
/// An <see cref="IEventHandler{T}"/> of any class, called through a delegate made once: an interface call at a site that many
/// classes share looks its target up at every event.
/// </summary>
internal readonly struct ClassHandler<T>(IEventHandler<T> handler) : IEventHandler<T>, IWrapper
{
    private readonly EventAction<T> _call = handler.OnEvent;

    public object Inner
    {
        get => handler;
        set { }
    }

    public void OnEvent(ref T item, long sequence, bool endOfBatch) => _call(ref item, sequence, endOfBatch);
}

/// <summary><see cref="IEventHandler{T}.OnEvent"/> of one handler.</summary>
internal delegate void EventAction<T>(ref T item, long sequence, bool endOfBatch);

/// <summary>A handler around another: the optional interfaces are those of the innermost, the user's own.</summary>
internal interface IWrapper
{
    /// <summary>The handler inside; a struct is set again after its hooks.</summary>
    object Inner { get; set; }

    /// <summary>The innermost.</summary>
    static object Unwrap(object handler)
    {
        while (handler is IWrapper wrapper) handler = wrapper.Inner;
        return handler;
    }

    /// <summary>Whether one of the wrappers keeps something from call to call, whatever the innermost does.</summary>
    static bool KeepsState(object handler)
    {
        while (handler is IWrapper wrapper and not IKeepsState) handler = wrapper.Inner;
        return handler is IKeepsState;
    }

    /// <summary>The same wrappers around another innermost: the box of a struct wrapper, changed, to be put back.</summary>
    static object Rewrap(object handler, object innermost)
    {
        if (handler is not IWrapper wrapper) return innermost;
        wrapper.Inner = Rewrap(wrapper.Inner, innermost);
        return wrapper;
    }
}

/// <summary>A wrapper with state of its own for a call: one thread at a time may be inside.</summary>
internal interface IKeepsState;
