/** Texts of the lists of resources. */
export const texts = {
  title: 'Resources',
  kind: 'Kind',
  name: 'Name',
  namespace: 'Namespace',
  phase: 'Phase',
  selector: 'Label selector',
  selectorHint: 'app=web,tier!=test',
  none: 'No resource of this kind here',
  labels: 'Labels',
  generation: 'Generation',
  uid: 'UID',
  conditions: 'Conditions',
  spec: 'Spec',
};
