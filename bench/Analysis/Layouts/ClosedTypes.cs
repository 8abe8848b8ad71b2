using System.Reflection;

namespace Raceway.Analysis.Layouts;

/// <summary>Closes generic types, since only closed ones have a layout.</summary>
internal static class ClosedTypes
{
    private static readonly Type[] s_items = [typeof(long), typeof(string)];

    /// <summary>The type itself, or it over a number and over a reference, where its constraints can be met.</summary>
    /// <param name="type">Open or not.</param>
    /// <param name="known">Where to look for structs that a constraint asks for.</param>
    public static IEnumerable<Type> Of(Type type, IReadOnlyList<Type> known) =>
        type.IsGenericTypeDefinition
            ? s_items.Select(item => Close(type, item, known)).OfType<Type>()
            : [type];

    private static Type? Close(Type open, Type item, IReadOnlyList<Type> known)
    {
        Type[] parameters = open.GetGenericArguments();
        var chosen = new Type[parameters.Length];
        for (int i = 0; i < parameters.Length; i++)
        {
            Type? constraint = parameters[i].GetGenericParameterConstraints()
                .FirstOrDefault(static one => one != typeof(ValueType));
            GenericParameterAttributes demands = parameters[i].GenericParameterAttributes;
            bool isStruct = demands.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
            bool isMade = demands.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint);
            Type? wanted = constraint is null ? null : Substitute(constraint, parameters, chosen);
            chosen[i] = wanted is null ? (isStruct ? typeof(long) : item)
                : isStruct || isMade ? Implementation(wanted, item, known, isStruct) ?? item
                : wanted;
        }

        return CloseWith(open, chosen);
    }

    private static Type? CloseWith(Type open, Type[] chosen)
    {
        try
        {
            return open.MakeGenericType(chosen);
        }
        catch (ArgumentException)
        {
            return null; // such as a reference where a number has to be
        }
    }

    private static Type? Substitute(Type type, Type[] parameters, Type[] chosen)
    {
        if (!type.ContainsGenericParameters) return type;
        if (!type.IsGenericType) return null;
        Type?[] arguments = [.. type.GetGenericArguments().Select(argument =>
            Array.IndexOf(parameters, argument) is >= 0 and var at ? chosen[at] : argument)];
        return arguments.Contains(null) ? null : CloseWith(type.GetGenericTypeDefinition(), arguments!);
    }

    private static Type? Implementation(Type wanted, Type item, IReadOnlyList<Type> known, bool isStruct) => known
        .Where(one => isStruct
            ? one is { IsValueType: true, IsByRefLike: false }
            : !one.IsAbstract && one.GetConstructor(Type.EmptyTypes) is not null)
        .Select(one => !one.IsGenericTypeDefinition ? one
            : one.GetGenericArguments().All(static parameter => parameter.GetGenericParameterConstraints().Length == 0)
                ? CloseWith(one, [.. one.GetGenericArguments().Select(_ => item)])
                : null)
        .FirstOrDefault(wanted.IsAssignableFrom);
}
