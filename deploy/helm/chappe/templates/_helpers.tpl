{{- define "chappe.labels" -}}
app.kubernetes.io/name: chappe
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "chappe.selector" -}}
app.kubernetes.io/name: chappe
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
