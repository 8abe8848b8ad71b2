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
        if (me is not null) me.Context = context;
        try
        {
            callback(state);
        }
        finally
        {
            if (me is not null) me.Context = outer;
        }
    }

    public static void Restore(ExecutionContext? context)
    {
        if (Model.Me is { } me) me.Context = context;
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

/// <summary>Modelled <c>System.Threading.AsyncLocal</c>.</summary>
public sealed class AsyncLocal<T>
{
    public T Value
    {
        get => ExecutionContext.Get(this) is T value ? value : default!;
        set => ExecutionContext.Set(this, value);
    }
}
