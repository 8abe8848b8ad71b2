using Microsoft.Extensions.Logging;

namespace Raceway.Interop.Logging;

/// <summary>Whether a message can be formatted after its call.</summary>
/// <remarks>
/// That is so if the message's values cannot change, and if its formatter uses nothing but them. Both are known of the messages that
/// <see cref="LoggerMessage"/> defines, and the source generator for up to six values, where all values are numbers, texts, times, and the
/// like. Of other states nothing is known.
/// </remarks>
internal static class LoggedState<TState>
{
    private static readonly bool s_isDefined = IsDefined(typeof(TState));

    // Which of its values are texts: these may be long.
    private static readonly int[] s_texts = s_isDefined ? TextsOf(typeof(TState)) : [];

    // The one formatter of the type, once it was seen to be the library's own. A logger in between may pass its own.
    private static Func<TState, Exception?, string>? s_formatter;

    /// <summary>Whether a message of this state, made by <paramref name="formatter"/>, stays the same.</summary>
    public static bool Stays(Func<TState, Exception?, string> formatter) =>
        s_isDefined && (ReferenceEquals(formatter, s_formatter) || IsOwn(formatter));

    /// <summary>Whether each text of a message that stays the same has <paramref name="most"/> characters at most.</summary>
    public static bool IsShort(TState state, int most)
    {
        if (s_texts.Length == 0) return true;
        // Boxed once: there is no other way to its values.
        var values = (IReadOnlyList<KeyValuePair<string, object?>>)state!;
        foreach (int text in s_texts)
            if (values[text].Value is string { Length: var length } && length > most) return false;
        return true;
    }

    private static bool IsOwn(Func<TState, Exception?, string> formatter)
    {
        if (formatter.Target?.GetType().Assembly != typeof(LoggerMessage).Assembly) return false;
        s_formatter = formatter;
        return true;
    }

    private static int[] TextsOf(Type state)
    {
        Type[] values = state.GetGenericArguments();
        return [.. Enumerable.Range(0, values.Length).Where(value => values[value] == typeof(string))];
    }

    // A struct within LoggerMessage. Its type arguments are those of the values.
    private static bool IsDefined(Type state) =>
        state.IsValueType && state.DeclaringType == typeof(LoggerMessage) && Array.TrueForAll(state.GetGenericArguments(), LoggedValue.CannotChange);
}

/// <summary>Values that cannot change.</summary>
internal static class LoggedValue
{
    private static readonly Type[] s_types =
    [
        typeof(string), typeof(decimal), typeof(Half), typeof(Int128), typeof(UInt128), typeof(Guid), typeof(DateTime), typeof(DateTimeOffset),
        typeof(DateOnly), typeof(TimeOnly), typeof(TimeSpan),
    ];

    public static bool CannotChange(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return type.IsPrimitive || type.IsEnum || Array.IndexOf(s_types, type) >= 0;
    }
}
