using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Raceway.Gates.Tests.Api;

/// <summary>The public surface of an assembly as text: a line a type, and one for each of its members.</summary>
internal static class ApiText
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext s_nullability = new();

    public static string Of(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (Type type in assembly.GetExportedTypes().OrderBy(ApiNames.Full, StringComparer.Ordinal))
        {
            text.Append(Head(type)).Append('\n');
            foreach (string member in Members(type).Order(StringComparer.Ordinal))
                text.Append("    ").Append(member).Append('\n');
        }

        return text.ToString();
    }

    private static string Head(Type type)
    {
        string name = ApiNames.Full(type);
        string constraints = Constraints(type.GetGenericArguments());
        if (IsDelegate(type)) return $"delegate {Method(type.GetMethod("Invoke")!, name)}{constraints}";
        if (type.IsEnum) return $"enum {name} : {ApiNames.Short(Enum.GetUnderlyingType(type))}";
        string list = string.Join(", ", Bases(type));
        return $"{Kind(type)} {name}{(list.Length == 0 ? "" : $" : {list}")}{constraints}";
    }

    private static string Kind(Type type) => type switch
    {
        { IsInterface: true } => "interface",
        { IsValueType: true } => (type.IsDefined(typeof(IsReadOnlyAttribute)) ? "readonly " : "")
            + (type.IsByRefLike ? "ref struct" : IsRecord(type) ? "record struct" : "struct"),
        { IsAbstract: true, IsSealed: true } => "static class",
        { IsAbstract: true } => "abstract class",
        _ => (type.IsSealed ? "sealed " : "") + (IsRecord(type) ? "record" : "class"),
    };

    // What the base type or the word `record` says already is not said again.
    private static IEnumerable<string> Bases(Type type)
    {
        IEnumerable<string> interfaces = type.GetInterfaces()
            .Where(each => each.IsPublic && type.BaseType?.GetInterfaces().Contains(each) != true)
            .Where(each => !IsRecord(type) || each.Name != "IEquatable`1")
            .Select(ApiNames.Short)
            .Order(StringComparer.Ordinal);
        bool derives = type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType);
        return derives ? interfaces.Prepend(ApiNames.Short(type.BaseType!)) : interfaces;
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (IsDelegate(type)) return [];
        if (type.IsEnum)
        {
            IEnumerable<object> values = Enum.GetValuesAsUnderlyingType(type).Cast<object>();
            return values.Select(value => $"{value} = {Enum.GetName(type, value)}");
        }

        // Operators carry a special name, as accessors do, but no property stands for them.
        return
        [
            .. type.GetFields(Declared).Where(IsOpen).Select(Field),
            .. type.GetConstructors(Declared).Where(IsOpen)
                .Select(made => $"{Scope(made.IsFamily)}new({Parameters(made.GetParameters())})"),
            .. type.GetProperties(Declared).Where(IsOpen).Select(Property),
            .. type.GetMethods(Declared).Where(IsOpen)
                .Where(method => !method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal))
                .Select(method => $"{Scope(method.IsFamily)}{Modifiers(method)}{Method(method, method.Name)}"),
        ];
    }

    private static string Field(FieldInfo field)
    {
        string kind = field.IsLiteral ? "const " : field.IsStatic ? "static " : "";
        string value = field.IsLiteral ? $" = {field.GetRawConstantValue()}" : "";
        string type = ApiNames.Short(field.FieldType) + Mark(s_nullability.Create(field));
        return $"{Scope(field.IsFamily)}{kind}{type} {field.Name}{value}";
    }

    private static string Property(PropertyInfo property)
    {
        MethodInfo any = property.GetAccessors(nonPublic: true).First(IsAccessible);
        Type[] marks = property.SetMethod?.ReturnParameter.GetRequiredCustomModifiers() ?? [];
        bool isInit = marks.Contains(typeof(IsExternalInit));
        string get = property.GetMethod is { } getter && IsAccessible(getter) ? " get;" : "";
        string set = property.SetMethod is { } setter && IsAccessible(setter) ? (isInit ? " init;" : " set;") : "";
        string required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        ParameterInfo[] index = property.GetIndexParameters();
        string name = index.Length == 0 ? property.Name : $"this[{Parameters(index)}]";
        string type = ApiNames.Short(property.PropertyType) + Mark(s_nullability.Create(property));
        return $"{Scope(any.IsFamily)}{required}{Modifiers(any)}{type} {name} {{{get}{set} }}";
    }

    private static string Method(MethodInfo method, string name)
    {
        Type[] types = method.IsGenericMethod ? method.GetGenericArguments() : [];
        string arguments = types.Length == 0 ? "" : $"<{string.Join(", ", types.Select(type => type.Name))}>";
        string result = ApiNames.Short(method.ReturnType) + Mark(s_nullability.Create(method.ReturnParameter));
        return $"{result} {name}{arguments}({Parameters(method.GetParameters())}){Constraints(types)}";
    }

    private static string Parameters(ParameterInfo[] parameters) => string.Join(", ", parameters.Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        Type type = parameter.ParameterType;
        string by = !type.IsByRef ? "" : parameter.IsOut ? "out " : parameter.IsIn ? "in " : "ref ";
        if (type.IsByRef) type = type.GetElementType()!;
        string value = parameter.HasDefaultValue ? $" = {Default(type, parameter.RawDefaultValue)}" : "";
        return $"{by}{ApiNames.Short(type)}{Mark(s_nullability.Create(parameter))} {parameter.Name}{value}";
    }

    private static object Default(Type type, object? value) => value switch
    {
        null => type.IsValueType && Nullable.GetUnderlyingType(type) is null ? "default" : "null",
        string text => $"\"{text}\"",
        _ => type.IsEnum ? Enum.ToObject(type, value) : value,
    };

    private static string Constraints(IEnumerable<Type> arguments) => string.Concat(arguments.Select(argument =>
    {
        GenericParameterAttributes flags = argument.GenericParameterAttributes;
        List<string> parts = [];
        if (flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint)) parts.Add("struct");
        if (flags.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint)) parts.Add("class");
        IEnumerable<Type> types = argument.GetGenericParameterConstraints().Where(type => type != typeof(ValueType));
        parts.AddRange(types.Select(ApiNames.Short));
        if (flags.HasFlag(GenericParameterAttributes.AllowByRefLike)) parts.Add("allows ref struct");
        return parts.Count == 0 ? "" : $" where {argument.Name} : {string.Join(", ", parts)}";
    }));

    private static string Modifiers(MethodInfo method) => method switch
    {
        { IsStatic: true } => "static ",
        { IsVirtual: false } or { DeclaringType.IsInterface: true } => "",
        _ when method.GetBaseDefinition() != method => "override ",
        { IsAbstract: true } => "abstract ",
        { IsFinal: true } => "",
        _ => "virtual ",
    };

    private static string Scope(bool isProtected) => isProtected ? "protected " : "";

    // A value type's `?` is part of its name already; a type parameter's is what its argument says.
    private static string Mark(NullabilityInfo info)
    {
        Type type = info.Type.IsByRef ? info.Type.GetElementType()! : info.Type;
        return info.ReadState == NullabilityState.Nullable && !type.IsValueType && !type.IsGenericParameter ? "?" : "";
    }

    private static bool IsDelegate(Type type) => typeof(Delegate).IsAssignableFrom(type);

    private static bool IsRecord(Type type) => type.GetMethod("PrintMembers", Declared) is not null;

    // What the compiler adds to a record is no decision of ours.
    private static bool IsGenerated(MemberInfo member) => member.IsDefined(typeof(CompilerGeneratedAttribute));

    private static bool IsOpen(FieldInfo field) =>
        (field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly) && !IsGenerated(field) && !field.IsSpecialName;

    private static bool IsOpen(MethodBase method) => IsAccessible(method) && !IsGenerated(method);

    private static bool IsOpen(PropertyInfo property) =>
        property.GetAccessors(nonPublic: true).Any(IsAccessible) && !IsGenerated(property);

    // Accessors of an auto-property are generated, the property is not.
    private static bool IsAccessible(MethodBase method) =>
        method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;
}
