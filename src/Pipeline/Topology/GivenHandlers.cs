namespace Raceway.Pipelines;

/// <summary>Checks of handlers that a user gives as interfaces.</summary>
internal static class GivenHandlers
{
    /// <summary>The handler that a factory makes for a stage.</summary>
    public static THandler Made<THandler>(Func<int, THandler> handlers, int number)
        where THandler : class => NotBoxed(handlers(number) ?? throw new ArgumentException(
            $"Each stage needs a handler: handlers({number}) returned null. Return one.", nameof(handlers)));

    /// <summary>A parameter that is an interface takes a struct too, and copies it into an object that its caller never sees.</summary>
    public static THandler NotBoxed<THandler>(THandler handler)
        where THandler : class
    {
        ArgumentNullException.ThrowIfNull(handler);
        return handler is not ValueType ? handler : throw new ArgumentException(
            $"A handler given as an interface must be a class: {handler.GetType().Name} is a struct, and would be copied. Make it "
            + "a class, or give it by a factory of StageKind.", nameof(handler));
    }
}
