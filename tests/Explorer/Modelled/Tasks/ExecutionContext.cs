using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.ExecutionContext</c>: values of async locals, immutable.</summary>
public sealed class ExecutionContext
{
    private readonly Dictionary<object, object?> _values;

    private ExecutionContext(Dictionary<object, object?> values) => _values = values;

    public static ExecutionContext? Capture() => Model.Me?.Context;

    public static void Run(ExecutionContext? context, Action<object?> callback, object? state)
    {
        ModelThread? me = Model.Me;
        ExecutionContext? outer = me?.Context;
        try
        {
            Restore(context);
            callback(state);
        }
        finally
        {
            // Nothing is told of that: where the execution is over, it would be a step of it.
            if (me is not null) me.Context = outer;
        }
    }

    /// <summary>The thread has this context from now on; locals that listen are told.</summary>
    public static void Restore(ExecutionContext? context)
    {
        if (Model.Me is not { } me || me.Context == context) return;
        ExecutionContext? outer = me.Context;
        me.Context = context;
        if (context is null) return;
        foreach ((object key, object? value) in context._values)
        {
            if (key is IListens local && outer?._values.GetValueOrDefault(key) != value)
                local.OnEntered(outer?._values.GetValueOrDefault(key), value);
        }
    }

    /// <summary>Does nothing: modelled timers run without a context.</summary>
    public static AsyncFlowControl SuppressFlow() => default;

    public static object? Get(object key) => Model.Me?.Context?._values.GetValueOrDefault(key);

    public static void Set(object key, object? value)
    {
        if (Model.Me is not { } me) return;
        Dictionary<object, object?> values = me.Context is { } context ? new(context._values) : [];
        values[key] = value;
        me.Context = new ExecutionContext(values);
    }
}

/// <summary>Modelled <c>System.Threading.SynchronizationContext</c>: no thread has one.</summary>
public static class SynchronizationContext
{
    public static object? Current => null;

    public static void SetSynchronizationContext(object? context)
    {
    }
}

/// <summary>Modelled <c>System.Threading.AsyncFlowControl</c>.</summary>
public readonly struct AsyncFlowControl : IDisposable
{
    public void Dispose()
    {
    }
}

/// <summary>Modelled <c>System.Threading.AsyncLocal</c>. One that listens hears of contexts that are entered, not of those left, nor of values set.</summary>
public sealed class AsyncLocal<T>(Action<AsyncLocalValueChangedArgs<T>>? listener = null) : IListens
{
    public T Value
    {
        get => ExecutionContext.Get(this) is T value ? value : default!;
        set => ExecutionContext.Set(this, value);
    }

    void IListens.OnEntered(object? previous, object? current) =>
        listener?.Invoke(new AsyncLocalValueChangedArgs<T>(previous is T from ? from : default, current is T to ? to : default, true));
}

/// <summary>Modelled <c>System.Threading.AsyncLocalValueChangedArgs</c>.</summary>
public readonly record struct AsyncLocalValueChangedArgs<T>(T? PreviousValue, T? CurrentValue, bool ThreadContextChanged);

/// <summary>An async local, whatever its type.</summary>
internal interface IListens
{
    void OnEntered(object? previous, object? current);
}
